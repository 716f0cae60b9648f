#include "telemetry/node/disks.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

constexpr std::array kDiskNumbers{
    StatId::kNODE_DISK_READS,           StatId::kNODE_DISK_READS_MERGED,     StatId::kNODE_DISK_READ_BYTES,
    StatId::kNODE_DISK_READ_TIME,       StatId::kNODE_DISK_WRITES,           StatId::kNODE_DISK_WRITES_MERGED,
    StatId::kNODE_DISK_WRITTEN_BYTES,   StatId::kNODE_DISK_WRITE_TIME,       StatId::kNODE_DISK_IO_NOW,
    StatId::kNODE_DISK_IO_TIME,         StatId::kNODE_DISK_IO_TIME_WEIGHTED, StatId::kNODE_DISK_DISCARDS,
    StatId::kNODE_DISK_DISCARDS_MERGED, StatId::kNODE_DISK_DISCARDED_BYTES,  StatId::kNODE_DISK_DISCARD_TIME,
    StatId::kNODE_DISK_FLUSHES,         StatId::kNODE_DISK_FLUSH_TIME,
};
constexpr std::size_t kFewestNumbers = 11;

// Sectors have 512 bytes, whatever the device's own have; times are milliseconds.
stats::Value in_unit(StatId id, std::uint64_t number) {
  switch (stats::stat(id).unit) {
    case stats::Unit::kBytes:
      return static_cast<double>(number) * 512;
    case stats::Unit::kSeconds:
      return static_cast<double>(number) / 1e3;
    default:
      return number;
  }
}

// "nvme0n1p" from nvme0n1p3: digits between the letters.
bool is_nvme_partition(std::string_view stem) {
  if (!stem.starts_with("nvme") || !stem.ends_with('p')) return false;
  stem = stem.substr(4, stem.size() - 5);
  const auto n = stem.find('n');
  if (n == std::string_view::npos || n == 0 || n + 1 == stem.size()) return false;
  return std::ranges::all_of(stem.substr(0, n), is_digit) &&
         std::ranges::all_of(stem.substr(n + 1), is_digit);
}

// "sda" from sda1. As in node_exporter's pattern, disks with two letters (sdaa) do not count.
bool is_lettered_disk(std::string_view stem) {
  if (stem.empty() || stem.back() < 'a' || stem.back() > 'z') return false;
  stem.remove_suffix(1);
  return stem == "hd" || stem == "sd" || stem == "vd" || stem == "xvd";
}

}  // namespace

bool is_whole_disk(std::string_view device) {
  std::string_view stem = device;
  while (!stem.empty() && is_digit(stem.back())) stem.remove_suffix(1);
  if (stem.size() == device.size()) return true;
  if (stem == "ram" || stem == "zram" || stem == "loop" || stem == "fd") return false;
  return !is_lettered_disk(stem) && !is_nvme_partition(stem);
}

void parse_diskstats(std::string_view text, Collected& out) {
  std::set<std::string> seen;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const auto major = next_word(line);
    if (major.empty()) continue;
    const auto minor = next_word(line);
    const auto device = next_word(line);
    if (!device.empty() && !is_whole_disk(device)) continue;

    std::array<std::uint64_t, kDiskNumbers.size()> numbers{};
    std::size_t known = 0;
    bool good = whole_number(major) && whole_number(minor) && !device.empty();
    while (good && known < numbers.size()) {
      const auto word = next_word(line);
      if (word.empty()) break;
      const auto number = whole_number(word);
      good = number.has_value();
      numbers.at(known++) = number.value_or(0);
    }
    const std::string label = printable(device);
    if (!good || known < kFewestNumbers || !seen.insert(label).second) {
      ++out.unread;
      continue;
    }
    for (std::size_t i = 0; i < known; ++i)
      out.add(kDiskNumbers.at(i), in_unit(kDiskNumbers.at(i), numbers.at(i)), {label});
  }
}

void DiskCollector::collect(Collected& out) {
  if (const auto text = read_kernel_file_if_there(proc_ + "/diskstats", out)) parse_diskstats(*text, out);
}

}  // namespace flowtap::telemetry
