#include "daemon/state_dir.hpp"

#include <sys/stat.h>

#include <cerrno>

namespace flowtap {

Status make_state_dir(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return {};
  int error = errno;
  struct stat there{};
  if (error == EEXIST && ::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return {};
    error = ENOTDIR;
  }
  return fail_errno(error, "cannot make the state directory " + path,
                    "run flowtapd as root, or give a directory that it may make with --state-dir");
}

}  // namespace flowtap
