// The names of block devices.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "telemetry/workloads/files/block_io.hpp"

namespace flowtap::telemetry {

/// By the links of /sys/dev/block. Not thread-safe.
class BlockNames {
 public:
  /// `sysfs`: the node's /sys.
  explicit BlockNames(std::string sysfs) : directory_(std::move(sysfs) + "/dev/block/") {}

  /// From now on all names are looked up anew: a number, or a name, may belong to another device.
  void refresh() { names_.clear(); }

  /// The name below /dev ("sda"). A device that is gone has its number ("8:0"): another one may have its name. Valid
  /// until refresh().
  [[nodiscard]] const std::string& name(BlockDevice device);

 private:
  std::string directory_;
  std::map<BlockDevice, std::string> names_;
};

}  // namespace flowtap::telemetry
