#include "running_daemon.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "api/lock_holders.hpp"
#include "api/lock_text.hpp"
#include "api/socket_path.hpp"
#include "base/directory.hpp"
#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kMostDescriptors = std::size_t{1} << 16U;

// Of other processes nobody here asks.
std::vector<api::LockHolder> daemons(const std::string& root) {
  auto holders = api::lock_holders(root);
  std::erase_if(holders, [](const api::LockHolder& one) { return one.comm != api::kDaemon; });
  return holders;
}

bool is_socket_in(const std::string& state_dir) {
  struct stat there{};
  return ::stat(api::socket_path(state_dir).c_str(), &there) == 0 && S_ISSOCK(there.st_mode);
}

// A flowtapd in a container may have a state directory that is there only.
RunningDaemon daemon_of(const std::string& root, const std::string& pid, std::string_view text) {
  RunningDaemon daemon{pid, api::parse_lock_text(text).state_dir};
  if (!daemon.state_dir.starts_with('/')) daemon.state_dir.clear();
  if (daemon.state_dir.empty() || is_socket_in(daemon.state_dir)) return daemon;
  const std::string there = on_host(root, "/proc/" + pid + "/root" + daemon.state_dir);
  if (is_socket_in(there)) daemon.state_dir = there;
  return daemon;
}

// The lock among the files that the process has open, whatever it takes for the node's root directory. Only root sees it.
std::optional<std::string> open_lock(const std::string& root, const std::string& pid) {
  const std::string dir = on_host(root, "/proc/" + pid + "/fd");
  Fd opened(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.valid()) return std::nullopt;
  const auto names = directory_names(std::move(opened), kMostDescriptors, dir);
  if (!names) return std::nullopt;
  for (const std::string& name : *names) {
    std::array<char, PATH_MAX> target{};
    const std::string at = dir + "/" + name;
    const ssize_t size = ::readlink(at.c_str(), target.data(), target.size());
    if (size > 0 &&
        std::string_view(target.data(), static_cast<std::size_t>(size)).ends_with(api::lock_path("")))
      return at;
  }
  return std::nullopt;
}

bool is_same_directory(const std::string& a, const std::string& b) {
  struct stat one{};
  struct stat other{};
  if (::stat(a.c_str(), &one) != 0 || ::stat(b.c_str(), &other) != 0) return a == b;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

std::optional<RunningDaemon> running_daemon(const std::string& root) {
  const auto all = daemons(root);
  struct stat lock{};
  const std::string path = api::lock_path(root);
  if (::stat(path.c_str(), &lock) == 0) {
    const auto holder = std::ranges::find(all, std::to_string(lock.st_ino), &api::LockHolder::inode);
    if (holder != all.end())
      return daemon_of(root, holder->pid, read_file(path, api::kMostLockText).value_or(""));
  }
  for (const api::LockHolder& holder : all)
    if (const auto open = open_lock(root, holder.pid))
      return daemon_of(root, holder.pid, read_file(*open, api::kMostLockText).value_or(""));
  return std::nullopt;
}

bool has_state_dir(const RunningDaemon& daemon, const std::string& state_dir) {
  return !daemon.state_dir.empty() && is_same_directory(daemon.state_dir, state_dir);
}

// Where systemd looks for the units of the system (systemd.unit(5)).
bool has_unit(const std::string& root) {
  constexpr std::array kFolders = {"/etc/systemd/system", "/run/systemd/system",
                                   "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
                                   "/lib/systemd/system"};
  // sd_booted(3)
  if (::access(on_host(root, "/run/systemd/system").c_str(), F_OK) != 0) return false;
  // systemd.unit(5): the first folder's unit counts, and one that is empty or leads to /dev/null is masked.
  for (const char* folder : kFolders) {
    struct stat unit{};
    if (::stat(on_host(root, std::string(folder) + "/flowtapd.service").c_str(), &unit) == 0)
      return S_ISREG(unit.st_mode) && unit.st_size > 0;
  }
  return false;
}

Error nobody_listens(const std::string& state_dir, const std::optional<RunningDaemon>& daemon,
                     bool has_unit) {
  const std::string socket = printable(api::socket_path(state_dir));
  if (!daemon) {
    std::string start = "systemctl start flowtapd";
    if (!has_unit) {
      start = "as root: flowtapd";
      // flowtapd takes a whole path only, since it may run in another directory.
      std::error_code unknown;
      const auto whole = std::filesystem::absolute(state_dir, unknown).lexically_normal();
      if (state_dir != api::kDefaultStateDir)
        start += " --state-dir " + printable(unknown ? state_dir : whole.string());
    }
    return {"no flowtapd is running here: nobody listens on " + socket,
            "start it (" + start + "), or name its directory with --state-dir", ENOENT};
  }
  const std::string who = "(process " + printable(daemon->pid) + ")";
  if (daemon->state_dir.empty())
    return {"nobody listens on " + socket + ", and the flowtapd that runs here " + who +
                " seems to have another state directory",
            "name it with --state-dir: it is state_dir in flowtapd's configuration, or stands on its command "
            "line",
            ENOENT};
  if (has_state_dir(*daemon, state_dir))
    return {
        "nobody listens on " + socket + ", though flowtapd runs " + who,
        "if it has just been started, try again in a moment; if not, its log says why its API is not there",
        ENOENT};
  return {"nobody listens on " + socket + ": the state directory of the flowtapd that runs here " + who +
              " is " + printable(daemon->state_dir),
          "name that directory: --state-dir " + printable(daemon->state_dir), ENOENT};
}

}  // namespace flowtap::cli
