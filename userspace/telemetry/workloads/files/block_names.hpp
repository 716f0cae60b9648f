// What block devices are called.
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

  /// All are looked up anew from now on: a number, and a name, may be another device's.
  void refresh() { names_.clear(); }

  /// As below /dev ("sda"). Of a device that is gone its number ("8:0"): another may have its name. Valid until refresh().
  [[nodiscard]] const std::string& name(BlockDevice device);

 private:
  std::string directory_;
  std::map<BlockDevice, std::string> names_;
};

}  // namespace flowtap::telemetry
