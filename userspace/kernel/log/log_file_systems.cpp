#include "kernel/log/log_file_systems.hpp"

#include <linux/magic.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "bpf/abi/log.h"

namespace flowtap::kernel {
namespace {

constexpr long kXfs = 0x58465342;  // fs/xfs/libxfs/xfs_format.h; older linux/magic.h do not have it

struct FileSystem {
  long magic = 0;
  std::string_view hook;
};
constexpr std::array<FileSystem, 6> kFileSystems{{{TMPFS_MAGIC, "shmem"},
                                                  {EXT4_SUPER_MAGIC, "ext4"},
                                                  {kXfs, "xfs"},
                                                  {BTRFS_SUPER_MAGIC, "btrfs"},
                                                  {RAMFS_MAGIC, "gen"},
                                                  {MSDOS_SUPER_MAGIC, "gen"}}};
static_assert(kFileSystems.size() <= FTAP_MAX_FILE_SYSTEMS);

}  // namespace

bool sees_file_system(long magic, const HasHook& has_hook) {
  const auto* const found = std::ranges::find(kFileSystems, magic, &FileSystem::magic);
  if (found == kFileSystems.end()) return false;
  // Writes to tmpfs reach the generic function where the kernel has none of that name.
  const bool is_generic = found->hook == "shmem" && !has_hook(found->hook);
  return has_hook(is_generic ? "gen" : found->hook);
}

std::vector<std::uint32_t> seen_file_systems(const HasHook& has_hook) {
  std::vector<std::uint32_t> seen;
  for (const FileSystem& system : kFileSystems)
    if (sees_file_system(system.magic, has_hook)) seen.push_back(static_cast<std::uint32_t>(system.magic));
  return seen;
}

std::unexpected<Error> unseen_file(const std::string& path, long magic) {
  std::array<char, 24> number{};
  std::snprintf(number.data(), number.size(), "0x%lx", magic);
  return std::unexpected(
      Error{"fexit does not see what is written to " + path + " (its file system, " + number.data() +
                ", has no hook in this kernel)",
            "run flowtapd --detach, then start it with --tap-backend sys_exit, which sees it", ENOTSUP});
}

}  // namespace flowtap::kernel
