// What the node's disks did, from /proc/diskstats.
#pragma once

#include <string>
#include <string_view>

#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// False for what node_exporter leaves out by default as well: memory and files that look like disks (ram0, zram0,
/// loop0), floppy drives, and partitions (sda1, nvme0n1p1), which are part of their disk.
[[nodiscard]] bool is_whole_disk(std::string_view device);

/// /proc/diskstats: a line for each device, with numbers in the order of Documentation/admin-guide/iostats.rst. Kernels
/// have 11 of them, since 4.18 15, since 5.5 17.
void parse_diskstats(std::string_view text, Collected& out);

class DiskCollector final : public Collector {
 public:
  /// `proc`: the node's procfs.
  explicit DiskCollector(std::string proc) : proc_(std::move(proc)) {}

  [[nodiscard]] std::string_view name() const override { return "disks"; }
  void collect(Collected& out) override;

 private:
  std::string proc_;
};

}  // namespace flowtap::telemetry
