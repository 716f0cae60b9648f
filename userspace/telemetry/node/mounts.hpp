// The text of /proc/PID/mountinfo.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::telemetry {

/// Bytes as the kernel has them, its escapes (\040 for a space) undone.
struct Mount {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  ///< the mount that this one lies on
  dev_t device_number =
      0;  ///< of its files, as stat() tells it, but for btrfs, whose volumes have numbers of their own
  std::string point;  ///< begins with '/'
  std::string type;
  std::string device;   ///< what was mounted: "/dev/sda1", "server:/share", "tmpfs"
  std::string options;  ///< of the file system, separated by commas
};

struct Mounts {
  std::vector<Mount> all;
  std::uint64_t unread = 0;  ///< lines that are none of the kernel's
};

/// Documentation/filesystems/proc.rst, 3.5. Of several on one mount point only that which lies on top.
[[nodiscard]] Mounts parse_mounts(std::string_view text);

/// False for what node_exporter leaves out by default, too: file systems without a device or of something else than files, and
/// what lies where only those or containers do.
[[nodiscard]] bool is_storage(const Mount& mount);

}  // namespace flowtap::telemetry
