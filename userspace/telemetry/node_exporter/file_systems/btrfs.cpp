#include <algorithm>
#include <array>

#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr double kSector = 512;

// How many bytes of disks one byte of data takes.
double allocation_ratio(std::string_view profile, double disks) {
  if (profile == "single" || profile == "raid0") return 1;
  if (profile == "dup" || profile == "raid1" || profile == "raid10") return 2;
  if (profile == "raid5" && disks > 1) return disks / (disks - 1);
  if (profile == "raid6" && disks > 2) return disks / (disks - 2);
  return 0;
}

void add_block_groups(Source& from, const std::string& folder, const std::string& type,
                      const std::string& uuid, double disks, Page& out) {
  const std::string group = folder + "allocation/" + type + '/';
  out.add("node_btrfs_reserved_bytes", PageKind::kGauge, "Space that is reserved for a type of data.",
          {{"block_group_type", type}, {"uuid", uuid}}, from.number(group + "bytes_reserved").value_or(0));
  for (const std::string& profile : from.names(group)) {
    if (!Source::is_there(group + profile + '/')) continue;
    const LabelPairs labels{{"block_group_type", type}, {"mode", profile}, {"uuid", uuid}};
    if (const auto used = from.number(group + profile + "/used_bytes"))
      out.add("node_btrfs_used_bytes", PageKind::kGauge, "Space that is used.", labels, *used);
    if (const auto size = from.number(group + profile + "/total_bytes"))
      out.add("node_btrfs_size_bytes", PageKind::kGauge, "Space that is allocated.", labels, *size);
    out.add("node_btrfs_allocation_ratio", PageKind::kGauge, "Bytes on disks for each byte of data.", labels,
            allocation_ratio(profile, disks));
  }
}

}  // namespace

// Documentation/filesystems/btrfs.rst. A folder by a file system's UUID; the others are of the module.
Found read_btrfs(Source& from, Page& out) {
  constexpr std::size_t kUuidSize = 36;
  const std::string all = from.sys("/fs/btrfs/");
  for (const std::string& name : from.names(all)) {
    if (name.size() != kUuidSize || name[8] != '-') continue;
    const std::string folder = all + name + '/';
    const auto told = from.line(folder + "metadata_uuid");
    const std::string uuid = told && !told->empty() ? *told : name;
    const auto devices = from.names(folder + "devices");
    out.add("node_btrfs_info", PageKind::kGauge, "The file system's label.",
            {{"label", from.line(folder + "label").value_or("")}, {"uuid", uuid}}, 1);
    if (const auto size = from.number(folder + "allocation/global_rsv_size"))
      out.add("node_btrfs_global_rsv_size_bytes", PageKind::kGauge, "Size of the global reserve.",
              {{"uuid", uuid}}, *size);
    for (const std::string& device : devices)
      if (const auto sectors = from.number(folder + "devices/" + device + "/size"))
        out.add("node_btrfs_device_size_bytes", PageKind::kGauge, "Size of a device of the file system.",
                {{"device", device}, {"uuid", uuid}}, *sectors * kSector);
    for (const char* type : {"data", "metadata", "system"})
      add_block_groups(from, folder, type, uuid, static_cast<double>(devices.size()), out);
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
