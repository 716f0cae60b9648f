// What a person can do where mount(2) refuses.
#pragma once

#include <cerrno>
#include <string>

namespace flowtap {

/// `type`: of the file system, as in "bpf". Empty for an errno that says nothing of its own.
[[nodiscard]] inline std::string mount_hint(int error, const std::string& type) {
  switch (error) {
    case EPERM:
    case EACCES:
      return "start flowtapd with CAP_SYS_ADMIN, and let no security profile (AppArmor, SELinux, seccomp) "
             "keep it from mount(2)";
    case ENODEV:
      return "this kernel has no file system " + type + ": use one that was built with it, as Debian's are";
    case ENOSPC:
      return "this mount namespace has as many mounts as it may: unmount some, or raise the sysctl "
             "fs.mount-max";
    case EBUSY:
      return "something else is about to be mounted or unmounted there: start flowtapd again";
    default:
      return {};
  }
}

}  // namespace flowtap
