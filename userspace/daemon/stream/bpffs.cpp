#include "daemon/stream/bpffs.hpp"

#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <cerrno>

namespace flowtap {

Status ensure_bpffs(const std::string& path) {
  struct statfs there{};
  if (::statfs(path.c_str(), &there) == 0 && there.f_type == BPF_FS_MAGIC) return {};
  // In sysfs the directory exists wherever the kernel has BPF; elsewhere it may be made.
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno(errno, "cannot make " + path);
  if (::mount("bpf", path.c_str(), "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") != 0)
    return fail_errno(
        errno, "cannot mount a BPF file system at " + path,
        "mount it there (mount -t bpf bpf " + path + "), so that capture goes on while flowtapd restarts");
  return {};
}

}  // namespace flowtap
