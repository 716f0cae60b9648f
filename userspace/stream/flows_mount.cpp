#include "stream/flows_mount.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/rfc3339.hpp"

namespace flowtap {
namespace {

// A flow has one file, and another while its older half makes room.
constexpr std::uint64_t kInodesOfFlow = 2;
// For the journal's segments and the indexes. They never need this many; it is a bound for what goes wrong.
constexpr std::uint64_t kInodesBeside = 8192;
constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME;

// Whether a tmpfs begins here, and does not only reach here, as that of /run often does.
Result<bool> is_own_tmpfs(const std::string& path) {
  struct stat here{};
  struct stat above{};
  struct statfs file_system{};
  if (::lstat(path.c_str(), &here) != 0 || ::stat((path + "/..").c_str(), &above) != 0 ||
      ::statfs(path.c_str(), &file_system) != 0)
    return fail_errno(errno, "cannot look at " + path);
  return here.st_dev != above.st_dev && file_system.f_type == TMPFS_MAGIC;
}

Status make_dir(const std::string& path) {
  if (::mkdir(path.c_str(), 0750) == 0) return {};
  int error = errno;
  struct stat there{};
  // A symbolic link is refused: whoever can make one here could otherwise choose where we mount.
  if (error == EEXIST && ::lstat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return {};
    error = ENOTDIR;
  }
  return fail_errno(error, "cannot make the directory for flows, " + path,
                    "give a directory that flowtapd may write to with --state-dir");
}

}  // namespace

Result<FlowsMount> mount_flows(const std::string& state_dir, const FlowsLimit& limit) {
  FlowsMount mounted{.path = state_dir + "/flows", .capped = true, .warning = {}};
  FTAP_TRY(make_dir(mounted.path));
  FTAP_TRY_ASSIGN(before, is_own_tmpfs(mounted.path));
  const std::string options =
      fmt::format("size={},nr_inodes={},mode=0750", limit.bytes, kInodesOfFlow * limit.flows + kInodesBeside);
  const unsigned long flags = before ? kFlags | MS_REMOUNT : kFlags;
  if (::mount("flowtap", mounted.path.c_str(), "tmpfs", flags, options.c_str()) == 0) return mounted;
  const int error = errno;
  if (before) {
    // More is in it than the new limit allows, so the old limit holds until there is less.
    mounted.warning = fmt::format("{} keeps its former size: {}", mounted.path, errno_text(error));
    return mounted;
  }
  mounted.capped = false;
  mounted.warning = fmt::format("{} is not a tmpfs of its own, so only flowtapd's own limits bound it: {}",
                                mounted.path, errno_text(error));
  return mounted;
}

FlowsSince flows_since(const std::string& dir, std::chrono::system_clock::time_point now) {
  const std::string path = dir + "/.since";
  if (const auto text = read_line(path))
    if (const auto time = parse_rfc3339(*text)) return {.time = time};
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640));
  const std::string text = rfc3339_nano(now) + "\n";
  if (!fd.valid() || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return {};
  return {.time = now, .is_new = true};
}

}  // namespace flowtap
