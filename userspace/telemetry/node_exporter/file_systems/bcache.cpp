#include <array>
#include <cmath>
#include <map>

#include "base/ascii.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/file_systems/file_system_text.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

struct CacheFile {
  std::string_view file;
  std::string_view name;
  PageKind kind = PageKind::kGauge;
  double scale = 1;
};
// Documentation/admin-guide/bcache.rst
constexpr std::array kSetFiles{
    CacheFile{"average_key_size", "average_key_size_sectors"},
    CacheFile{"btree_cache_size", "btree_cache_size_bytes"},
    CacheFile{"cache_available_percent", "cache_available_percent"},
    CacheFile{"congested", "congested"},
    CacheFile{"root_usage_percent", "root_usage_percent"},
    CacheFile{"tree_depth", "tree_depth"},
    CacheFile{"internal/active_journal_entries", "active_journal_entries"},
    CacheFile{"internal/btree_nodes", "btree_nodes"},
    // The file has microseconds; node_exporter takes them for nanoseconds, and so do the rules that were made with it.
    CacheFile{"internal/btree_read_average_duration_us", "btree_read_average_duration_seconds",
              PageKind::kGauge, 1e-9},
    CacheFile{"internal/cache_read_races", "cache_read_races_total", PageKind::kCounter},
};
constexpr std::array kBackingFiles{
    CacheFile{"dirty_data", "dirty_data_bytes"},
    CacheFile{"stats_total/bypassed", "bypassed_bytes_total", PageKind::kCounter},
    CacheFile{"stats_total/cache_hits", "cache_hits_total", PageKind::kCounter},
    CacheFile{"stats_total/cache_misses", "cache_misses_total", PageKind::kCounter},
    CacheFile{"stats_total/cache_bypass_hits", "cache_bypass_hits_total", PageKind::kCounter},
    CacheFile{"stats_total/cache_bypass_misses", "cache_bypass_misses_total", PageKind::kCounter},
    CacheFile{"stats_total/cache_miss_collisions", "cache_miss_collisions_total", PageKind::kCounter},
    CacheFile{"stats_total/cache_readaheads", "cache_readaheads_total", PageKind::kCounter},
};
constexpr std::array kCacheFiles{
    CacheFile{"io_errors", "io_errors"},
    CacheFile{"metadata_written", "metadata_written_bytes_total", PageKind::kCounter},
    CacheFile{"written", "written_bytes_total", PageKind::kCounter},
};
// Lines of writeback_rate_debug.
constexpr std::array kWritebackLines{
    CacheFile{"target:", "dirty_target_bytes"},
    CacheFile{"rate:", "writeback_rate"},
    CacheFile{"proportional:", "writeback_rate_proportional_term"},
    CacheFile{"integral:", "writeback_rate_integral_term"},
    CacheFile{"change:", "writeback_change"},
};

template <std::size_t N>
void add_files(Source& from, const std::string& folder, const std::array<CacheFile, N>& files,
               const LabelPairs& labels, Page& out) {
  for (const CacheFile& file : files) {
    const auto text = from.line(folder + std::string(file.file));
    const auto value = text ? bcache_number(*text) : std::nullopt;
    if (value)
      out.add("node_bcache_" + std::string(file.name), file.kind,
              std::string(file.file) + " of /sys/fs/bcache.", labels, *value * file.scale);
  }
}

}  // namespace

std::optional<double> bcache_number(std::string_view text) {
  constexpr std::string_view kUnits = "kMGTPEZY";
  constexpr double kHundredths = 10.24;  // of what is behind the point, as node_exporter reads it
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const auto unit = kUnits.find(text.back());
  const bool scaled = unit != std::string_view::npos;
  if (scaled) text.remove_suffix(1);
  const auto point = scaled ? text.find('.') : std::string_view::npos;
  const auto whole = scaled ? whole_number(text.substr(0, point)) : std::nullopt;
  auto value = whole ? std::optional(static_cast<double>(*whole)) : scaled ? std::nullopt : decimal(text);
  if (!value) return std::nullopt;
  if (point != std::string_view::npos) {
    const auto fraction = whole_number(text.substr(point + 1));
    if (!fraction) return std::nullopt;
    *value += static_cast<double>(*fraction) / kHundredths;
  }
  if (scaled) *value *= std::pow(1024.0, static_cast<double>(unit + 1));
  *value = std::floor(*value);
  return negative ? -*value : *value;
}

bool parse_bcache_writeback(std::string_view text, const LabelPairs& labels, Page& out) {
  bool good = true;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    for (const CacheFile& known : kWritebackLines) {
      if (known.file != key) continue;
      std::string_view word = next_word(line);
      if (word.ends_with("/sec")) word.remove_suffix(4);
      const auto value = bcache_number(word);
      good = good && value;
      if (value)
        out.add("node_bcache_" + std::string(known.name), known.kind, "From writeback_rate_debug of bcache.",
                labels, *value);
    }
  }
  return good;
}

Found read_bcache(Source& from, Page& out) {
  const std::string all = from.sys("/fs/bcache/");
  for (const std::string& uuid : from.names(all)) {
    const std::string folder = all + uuid + '/';
    if (!uuid.contains('-') || !Source::is_there(folder)) continue;
    add_files(from, folder, kSetFiles, {{"uuid", uuid}}, out);
    for (const std::string& device : from.names(folder, "bdev")) {
      const LabelPairs labels{{"backing_device", device}, {"uuid", uuid}};
      add_files(from, folder + device + '/', kBackingFiles, labels, out);
      const auto writeback = from.text(folder + device + "/writeback_rate_debug");
      if (writeback && !parse_bcache_writeback(*writeback, labels, out)) from.fail();
    }
    for (const std::string& device : from.names(folder, "cache"))
      if (device.size() > 5 && is_digit(device[5]))
        add_files(from, folder + device + '/', kCacheFiles, {{"cache_device", device}, {"uuid", uuid}}, out);
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
