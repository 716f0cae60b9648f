#include "kernel/log_file_systems.hpp"

#include <linux/magic.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace flowtap::kernel {
namespace {

constexpr long kXfs = 0x58465342;  // fs/xfs/libxfs/xfs_format.h; older linux/magic.h do not have it

}  // namespace

std::string_view file_hook(long magic) {
  switch (magic) {
    case TMPFS_MAGIC:
      return "shmem";  // where the kernel has no function of that name it is gen's
    case EXT4_SUPER_MAGIC:
      return "ext4";
    case kXfs:
      return "xfs";
    case BTRFS_SUPER_MAGIC:
      return "btrfs";
    case RAMFS_MAGIC:
    case MSDOS_SUPER_MAGIC:
      return "gen";
    default:
      return {};
  }
}

std::unexpected<Error> unseen_file(const std::string& path, long magic) {
  std::array<char, 24> number{};
  std::snprintf(number.data(), number.size(), "0x%lx", magic);
  return std::unexpected(Error{"fexit does not see what is written to " + path + " (its file system, " +
                                   number.data() + ", has no hook in this kernel)",
                               "flowtapd --detach, then --tap-backend sys_exit sees it", ENOTSUP});
}

}  // namespace flowtap::kernel
