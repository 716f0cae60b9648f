#include "base/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace flowtap::flow {
namespace {

constexpr mode_t kDirMode = 0750;

std::string above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

}  // namespace

Status make_dirs(const std::string& path) {
  if (::mkdir(path.c_str(), kDirMode) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT || above(path).empty()) return fail_errno(errno, "cannot make " + path);
  FTAP_TRY(make_dirs(above(path)));
  if (::mkdir(path.c_str(), kDirMode) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, "cannot make " + path);
}

Result<Fd> open_new(const std::string& path, int flags, mode_t mode) {
  Fd fd(::open(path.c_str(), flags, mode));
  if (!fd.valid() && errno == ENOENT) {
    FTAP_TRY(make_dirs(above(path)));
    fd = Fd(::open(path.c_str(), flags, mode));
  }
  if (!fd.valid()) return fail_errno(errno, "cannot create " + path);
  return fd;
}

}  // namespace flowtap::flow
