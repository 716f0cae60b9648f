// The text of /proc/PID/mountinfo.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::telemetry {

/// Bytes as the kernel has them, with its escapes (\040 for a space) undone.
struct Mount {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  ///< the mount that this one lies on
  dev_t device_number =
      0;  ///< its files' device as stat() tells it, except on btrfs, whose volumes have their own numbers
  std::string point;  ///< begins with '/'
  std::string type;
  std::string device;   ///< what was mounted: "/dev/sda1", "server:/share", "tmpfs"
  std::string options;  ///< the file system's options, separated by commas
};

struct Mounts {
  std::vector<Mount> all;
  std::uint64_t unread = 0;  ///< lines that the kernel does not write
};

/// Documentation/filesystems/proc.rst, 3.5. Of several mounts on one mount point it gives only the top one.
[[nodiscard]] Mounts parse_mounts(std::string_view text);

/// False for what node_exporter leaves out by default as well: file systems without a device or with something other
/// than files, and places where only those or containers are.
[[nodiscard]] bool is_storage(const Mount& mount);

}  // namespace flowtap::telemetry
