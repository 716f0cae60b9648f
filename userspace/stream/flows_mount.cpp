#include "stream/flows_mount.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/node/link_in_the_way.hpp"
#include "base/rfc3339.hpp"
#include "base/with_hint.hpp"
#include "stream/capture/mount_hint.hpp"

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

std::string refusal(int error, std::string what) {
  return with_hint(fail_errno(error, std::move(what), mount_hint(error, "tmpfs")).error());
}

}  // namespace

std::uint64_t flows_held(const std::string& state_dir) {
  const std::string path = flows_path(state_dir);
  struct statfs there{};
  const auto own = is_own_tmpfs(path);
  if (!own || !*own || ::statfs(path.c_str(), &there) != 0) return 0;
  return (there.f_blocks - there.f_bfree) * static_cast<std::uint64_t>(there.f_bsize);
}

Status make_flows_dir(const std::string& path) {
  if (::mkdir(path.c_str(), 0750) == 0) return {};
  const int error = errno;
  const std::string what = "cannot make the directory for flows, " + path;
  const std::string another = "name another directory in state_dir or with --state-dir";
  const std::string other = ", or " + another;
  struct stat there{};
  if (auto link = link_in_the_way(what, path, Links::kNone, another))
    return std::unexpected(std::move(*link));
  if (error != EEXIST || ::lstat(path.c_str(), &there) != 0)
    return fail_errno(error, what,
                      is_full(Error{{}, {}, error})       ? "make room on that file system" + other
                      : error == EACCES || error == EPERM ? "give flowtapd the right to write there" + other
                      : error == ENOENT                   ? "make the directory above it" + other
                      : error == ENOTDIR
                          ? "move away what stands in the place of the directory above it" + other
                          : "");
  if (S_ISDIR(there.st_mode)) return {};
  return fail_errno(ENOTDIR, what, "move away what stands there" + other);
}

Result<FlowsMount> mount_flows(const std::string& state_dir, const FlowsLimit& limit) {
  FlowsMount mounted{.path = flows_path(state_dir), .capped = true, .warning = {}};
  FTAP_TRY(make_flows_dir(mounted.path));
  FTAP_TRY_ASSIGN(before, is_own_tmpfs(mounted.path));
  const std::string options =
      fmt::format("size={},nr_inodes={},mode=0750", limit.bytes, kInodesOfFlow * limit.flows + kInodesBeside);
  const unsigned long flags = before ? kFlags | MS_REMOUNT : kFlags;
  if (::mount("flowtap", mounted.path.c_str(), "tmpfs", flags, options.c_str()) == 0) return mounted;
  const int error = errno;
  if (before) {
    // Where more is in it than the new limit allows, the old limit holds until there is less.
    mounted.warning = refusal(error, mounted.path + " keeps its former size");
    return mounted;
  }
  mounted.capped = false;
  mounted.warning =
      refusal(error, mounted.path + " is not a tmpfs of its own, so only flowtapd's own limits bound it");
  return mounted;
}

FlowsSince flows_since(const std::string& dir, std::chrono::system_clock::time_point now) {
  const std::string path = dir + "/" + kSinceFile;
  if (const auto text = read_line(path))
    if (const auto time = parse_rfc3339(*text)) return {.time = time};
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640));
  const std::string text = rfc3339_nano(now) + "\n";
  if (!fd.valid() || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return {};
  return {.time = now, .is_new = true};
}

}  // namespace flowtap
