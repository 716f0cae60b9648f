#include "base/kernel_release.hpp"

#include <sys/utsname.h>

namespace flowtap {

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "unknown";
}

}  // namespace flowtap
