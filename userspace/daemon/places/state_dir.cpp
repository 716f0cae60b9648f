#include "daemon/places/state_dir.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "base/node/link_in_the_way.hpp"

namespace flowtap {
namespace {

constexpr const char* kOther = "name another one in state_dir or with --state-dir";

std::string directory_hint(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return std::string("run flowtapd as root, or ") + kOther;
    case ENOENT:
      return std::string("make the directory above it first, or ") + kOther;
    case ENOTDIR:
      return std::string("move away what stands there, or ") + kOther;
    case ENOSPC:
    case EDQUOT:
      return std::string("make room on that file system, or ") + kOther;
    default:
      return kOther;
  }
}

}  // namespace

Result<bool> make_state_dir(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return true;
  int error = errno;
  struct stat there{};
  if (error == EEXIST && ::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return false;
    error = ENOTDIR;
  }
  const std::string what = "cannot make the state directory " + path;
  if (auto link = link_in_the_way(what, path, Links::kThatLeadToThings, kOther))
    return std::unexpected(std::move(*link));
  return fail_errno(error, what, directory_hint(error));
}

}  // namespace flowtap
