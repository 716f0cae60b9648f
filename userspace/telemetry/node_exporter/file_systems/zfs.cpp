#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/file_systems/file_system_text.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

struct ZfsFile {
  std::string_view file;
  std::string_view prefix;
};
constexpr std::array kZfsFiles{
    ZfsFile{"abdstats", "node_zfs_abd_"},
    ZfsFile{"arcstats", "node_zfs_arc_"},
    ZfsFile{"dbufstats", "node_zfs_dbuf_"},
    ZfsFile{"dmu_tx", "node_zfs_dmu_tx_"},
    ZfsFile{"dnodestats", "node_zfs_dnode_"},
    ZfsFile{"fm", "node_zfs_fm_"},
    ZfsFile{"vdev_cache_stats", "node_zfs_vdev_cache_"},
    ZfsFile{"vdev_mirror_stats", "node_zfs_vdev_mirror_"},
    ZfsFile{"xuio_stats", "node_zfs_xuio_"},
    ZfsFile{"zfetchstats", "node_zfs_zfetch_"},
    ZfsFile{"zil", "node_zfs_zil_"},
};
constexpr std::array<std::string_view, 6> kPoolStates{"online",  "degraded", "faulted",
                                                      "offline", "removed",  "unavail"};

// KSTAT_DATA_UINT64; node_exporter has no names for the other kinds.
constexpr std::string_view kUnsigned64 = "4";

// Calls `take` for each line below the headings.
template <typename Take>
bool for_each_kstat(std::string_view text, Take take) {
  bool good = true;
  bool headed = false;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view name = next_word(line);
    const std::string_view type = next_word(line);
    const std::string_view data = next_word(line);
    if (!headed)
      headed = name == "name" && type == "type" && data == "data";
    else if (!data.empty())
      good = take(name, type, data) && good;
  }
  return good && headed;
}

}  // namespace

bool parse_zfs_kstat(std::string_view text, std::string_view prefix, stats::compat::Page& out) {
  return for_each_kstat(text, [&](std::string_view name, std::string_view type, std::string_view data) {
    if (type != kUnsigned64) return true;
    const auto value = number_in(data);
    if (value)
      out.add(std::string(prefix) + std::string(name), PageKind::kUntyped,
              std::string(name) + " of /proc/spl/kstat/zfs.", {}, *value);
    return value.has_value();
  });
}

bool parse_zfs_objset(std::string_view text, const std::string& pool, stats::compat::Page& out) {
  std::string dataset;
  return for_each_kstat(text, [&](std::string_view name, std::string_view type, std::string_view data) {
    if (name == "dataset_name") {
      dataset = data;
      return true;
    }
    if (type != kUnsigned64) return true;
    const auto value = number_in(data);
    if (value)
      out.add("node_zfs_zpool_dataset_" + std::string(name), PageKind::kUntyped,
              std::string(name) + " of the pool's objset.", {{"dataset", dataset}, {"zpool", pool}}, *value);
    return value.has_value();
  });
}

bool parse_zfs_pool_io(std::string_view text, const std::string& pool, stats::compat::Page& out) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (names.empty()) {
      if (!line.starts_with("nread")) continue;
      for (auto name = next_word(line); !name.empty() && names.size() < 64; name = next_word(line))
        names.push_back(name);
      continue;
    }
    for (const std::string_view name : names) {
      const auto value = whole_number(next_word(line));
      if (!value) return false;
      out.add("node_zfs_zpool_" + std::string(name), PageKind::kUntyped,
              std::string(name) + " of the pool's io.", {{"zpool", pool}}, static_cast<double>(*value));
    }
    return true;
  }
  return false;
}

Found read_zfs(Source& from, Page& out) {
  const std::string all = from.proc("/spl/kstat/zfs/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const ZfsFile& file : kZfsFiles) {
    const auto text = from.text(all + std::string(file.file));
    if (text && !parse_zfs_kstat(*text, file.prefix, out)) from.fail();
  }
  for (const std::string& pool : from.names(all)) {
    const std::string folder = all + pool + '/';
    if (!Source::is_there(folder)) continue;
    if (const auto io = from.text(folder + "io"); io && !parse_zfs_pool_io(*io, pool, out)) from.fail();
    for (const std::string& objset : from.names(folder, "objset-"))
      if (const auto text = from.text(folder + objset); text && !parse_zfs_objset(*text, pool, out))
        from.fail();
    auto state = from.line(folder + "state");
    if (!state) continue;
    std::ranges::transform(*state, state->begin(), to_lower);
    for (const std::string_view one : kPoolStates)
      out.add("node_zfs_zpool_state", PageKind::kGauge, "Whether the pool is in this state.",
              {{"state", std::string(one)}, {"zpool", pool}}, *state == one ? 1 : 0);
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
