#include "base/node/kernel_release.hpp"

#include <sys/utsname.h>

#include "base/file.hpp"

namespace flowtap {

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "unknown";
}

Result<std::string> boot_id() {
  return read_line(kBootIdFile);
}

}  // namespace flowtap
