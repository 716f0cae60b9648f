// How full the node's file systems are, by statvfs() on the mount points in /proc/1/mountinfo.
#pragma once

#include <string>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/node/mounts.hpp"

namespace flowtap::telemetry {

/// Hangs where a file system does (NFS whose server is gone).
class FilesystemCollector final : public Collector {
 public:
  /// `proc`: the node's procfs. `host_root`: where the node's root directory is visible; "/" or "" for the node itself.
  FilesystemCollector(std::string proc, std::string host_root)
      : proc_(std::move(proc)), host_root_(std::move(host_root)) {
    if (host_root_.ends_with('/')) host_root_.pop_back();
  }

  [[nodiscard]] std::string_view name() const override { return "filesystems"; }
  void collect(Collected& out) override;

 private:
  void add(const Mount& mount, Collected& out) const;

  std::string proc_;
  std::string host_root_;
};

}  // namespace flowtap::telemetry
