#include "stream/sources/files/path_walk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace flowtap {
namespace {

constexpr int kMostLinks = 40;  // as the kernel follows
// Each name on the way holds a descriptor, and links may make a way as long as their owner likes.
constexpr int kMostSteps = 256;

// The last name comes first, so that the next one can be taken from the end.
void push_names(std::vector<std::string>& names, std::string_view path) {
  while (!path.empty()) {
    const auto slash = path.rfind('/');
    const auto name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (!name.empty() && name != ".") names.emplace_back(name);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
  }
}

Result<struct statx> status_of(const Fd& fd, const std::string& path) {
  struct statx status{};
  // The kernel is asked only for what it has already, since the file system may be one that does not answer.
  if (::statx(fd.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
              STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID, &status) != 0)
    return fail_errno(errno, "cannot stat " + path);
  return status;
}

// What a link says. It is read from the very link that was looked at.
Result<std::string> target_of(const Fd& link, const std::string& path) {
  std::string text(PATH_MAX, '\0');
  const ssize_t n = ::readlinkat(link.get(), "", text.data(), text.size());
  if (n <= 0) return fail_errno(errno, "cannot read a link of " + path);
  text.resize(static_cast<std::size_t>(n));
  return text;
}

}  // namespace

Result<PathWalk> PathWalk::open(const std::string& host_root) {
  FTAP_TRY_ASSIGN(root, identity::RootDir::open(host_root));
  FTAP_TRY_ASSIGN(mounts, MountTypes::open());
  return PathWalk(std::move(root), std::move(mounts));
}

Status PathWalk::check_mount(const struct statx& status, const std::string& path) {
  FTAP_TRY_ASSIGN(type, mounts_.type_of(status.stx_mnt_id));
  if (may_hang(type)) return fail(path + " is on " + type + ", which may keep its readers waiting for ever");
  return {};
}

// Goes one name after the other, so that a file system is known before anything in it is looked up.
Result<PathWalk::Reached> PathWalk::to(const std::string& path) {
  std::vector<Fd> way;  // from the root to where we are, for `..`
  FTAP_TRY_ASSIGN(root, root_.open_below("/", O_PATH | O_DIRECTORY));
  FTAP_TRY_ASSIGN(top, status_of(root, path));
  FTAP_TRY(check_mount(top, path));
  way.push_back(std::move(root));
  std::uint64_t mount = top.stx_mnt_id;
  std::vector<std::string> names;
  push_names(names, path);
  std::set<uid_t> makers;
  int links = 0;
  for (int steps = 0; !names.empty(); ++steps) {
    if (steps == kMostSteps) return fail(path + " leads through too many directories");
    const std::string name = std::move(names.back());
    names.pop_back();
    if (name == "..") {
      if (way.size() > 1) way.pop_back();
      continue;
    }
    Fd next(::openat(way.back().get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) return fail_errno(errno, "cannot open " + path);
    FTAP_TRY_ASSIGN(status, status_of(next, path));
    if (status.stx_mnt_id != mount) FTAP_TRY(check_mount(status, path));
    mount = status.stx_mnt_id;
    if (!S_ISLNK(status.stx_mode)) {
      way.push_back(std::move(next));
      continue;
    }
    if (++links > kMostLinks) return fail_errno(ELOOP, "cannot open " + path);
    makers.insert(status.stx_uid);
    FTAP_TRY_ASSIGN(target, target_of(next, path));
    if (target.front() == '/') way.resize(1);
    push_names(names, target);
  }
  FTAP_TRY_ASSIGN(status, status_of(way.back(), path));
  if (std::ranges::any_of(makers, [&](uid_t maker) { return maker != 0 && maker != status.stx_uid; }))
    return fail(path + " leads through a link whose owner does not own what it leads to");
  return Reached{std::move(way.back()), status};
}

bool is_nothing_there(const Error& error) {
  return error.code == ENOENT || error.code == ENOTDIR;
}

}  // namespace flowtap
