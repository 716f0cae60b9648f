#include <array>
#include <span>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/file_systems/file_system_text.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

// A line of the file, and what its numbers are called, in their order (fs/xfs/xfs_stats.h). Empty: node_exporter has no name
// for it.
struct XfsLine {
  std::string_view key;
  std::array<std::string_view, 8> names;
};
constexpr std::array kXfsLines{
    XfsLine{"extent_alloc",
            {"extent_allocation_extents_allocated", "extent_allocation_blocks_allocated",
             "extent_allocation_extents_freed", "extent_allocation_blocks_freed"}},
    XfsLine{"abt",
            {"allocation_btree_lookups", "allocation_btree_compares", "allocation_btree_records_inserted",
             "allocation_btree_records_deleted"}},
    XfsLine{"blk_map",
            {"block_mapping_reads", "block_mapping_writes", "block_mapping_unmaps",
             "block_mapping_extent_list_insertions", "block_mapping_extent_list_deletions",
             "block_mapping_extent_list_lookups", "block_mapping_extent_list_compares"}},
    XfsLine{"bmbt",
            {"block_map_btree_lookups", "block_map_btree_compares", "block_map_btree_records_inserted",
             "block_map_btree_records_deleted"}},
    XfsLine{"dir",
            {"directory_operation_lookup", "directory_operation_create", "directory_operation_remove",
             "directory_operation_getdents"}},
    XfsLine{"ig",
            {"inode_operation_attempts", "inode_operation_found", "inode_operation_recycled",
             "inode_operation_missed", "inode_operation_duplicates", "inode_operation_reclaims",
             "inode_operation_attribute_changes"}},
    XfsLine{"rw", {"write_calls", "read_calls"}},
    XfsLine{"vnodes",
            {"vnode_active", "vnode_allocate", "vnode_get", "vnode_hold", "vnode_release", "vnode_reclaim",
             "vnode_remove"}},
};

}  // namespace

bool parse_xfs_stats(std::string_view text, const std::string& device, stats::compat::Page& out) {
  bool good = true;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    for (const XfsLine& known : kXfsLines) {
      if (known.key != key) continue;
      for (const std::string_view name : known.names) {
        if (name.empty()) break;
        const auto value = whole_number(next_word(line));
        good = good && value;
        if (!value) break;
        out.add("node_xfs_" + std::string(name) + "_total", PageKind::kCounter,
                std::string(key) + " of /sys/fs/xfs/<device>/stats/stats.", {{"device", device}},
                static_cast<double>(*value));
      }
    }
  }
  return good;
}

Found read_xfs(Source& from, Page& out) {
  const std::string all = from.sys("/fs/xfs/");
  for (const std::string& device : from.names(all)) {
    if (device == "stats") continue;  // of all of them together
    const auto text = from.text(all + device + "/stats/stats");
    if (text && !parse_xfs_stats(*text, device, out)) from.fail();
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
