#include "telemetry/node/memory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct Row {
  std::string_view key;
  StatId id;
};

constexpr std::array kMeminfo{
    Row{"MemTotal:", StatId::kNODE_MEMORY_TOTAL},
    Row{"MemFree:", StatId::kNODE_MEMORY_FREE},
    Row{"MemAvailable:", StatId::kNODE_MEMORY_AVAILABLE},
    Row{"Buffers:", StatId::kNODE_MEMORY_BUFFERS},
    Row{"Cached:", StatId::kNODE_MEMORY_CACHED},
    Row{"SwapCached:", StatId::kNODE_MEMORY_SWAP_CACHED},
    Row{"Active:", StatId::kNODE_MEMORY_ACTIVE},
    Row{"Inactive:", StatId::kNODE_MEMORY_INACTIVE},
    Row{"Unevictable:", StatId::kNODE_MEMORY_UNEVICTABLE},
    Row{"Mlocked:", StatId::kNODE_MEMORY_MLOCKED},
    Row{"SwapTotal:", StatId::kNODE_MEMORY_SWAP_TOTAL},
    Row{"SwapFree:", StatId::kNODE_MEMORY_SWAP_FREE},
    Row{"Dirty:", StatId::kNODE_MEMORY_DIRTY},
    Row{"Writeback:", StatId::kNODE_MEMORY_WRITEBACK},
    Row{"AnonPages:", StatId::kNODE_MEMORY_ANON_PAGES},
    Row{"Mapped:", StatId::kNODE_MEMORY_MAPPED},
    Row{"Shmem:", StatId::kNODE_MEMORY_SHMEM},
    Row{"SReclaimable:", StatId::kNODE_MEMORY_SLAB_RECLAIMABLE},
    Row{"SUnreclaim:", StatId::kNODE_MEMORY_SLAB_UNRECLAIMABLE},
    Row{"KernelStack:", StatId::kNODE_MEMORY_KERNEL_STACK},
    Row{"PageTables:", StatId::kNODE_MEMORY_PAGE_TABLES},
    Row{"CommitLimit:", StatId::kNODE_MEMORY_COMMIT_LIMIT},
    Row{"Committed_AS:", StatId::kNODE_MEMORY_COMMITTED},
    Row{"VmallocUsed:", StatId::kNODE_MEMORY_VMALLOC_USED},
    Row{"HardwareCorrupted:", StatId::kNODE_MEMORY_HARDWARE_CORRUPTED},
    Row{"HugePages_Total:", StatId::kNODE_MEMORY_HUGE_PAGES},
    Row{"HugePages_Free:", StatId::kNODE_MEMORY_HUGE_PAGES_FREE},
    Row{"Hugepagesize:", StatId::kNODE_MEMORY_HUGE_PAGE_SIZE},
};

constexpr std::array kVmstat{
    Row{"pgpgin", StatId::kNODE_MEMORY_PAGED_IN},
    Row{"pgpgout", StatId::kNODE_MEMORY_PAGED_OUT},
    Row{"pswpin", StatId::kNODE_MEMORY_SWAPPED_IN},
    Row{"pswpout", StatId::kNODE_MEMORY_SWAPPED_OUT},
    Row{"pgfault", StatId::kNODE_MEMORY_PAGE_FAULTS},
    Row{"pgmajfault", StatId::kNODE_MEMORY_MAJOR_PAGE_FAULTS},
    Row{"oom_kill", StatId::kNODE_MEMORY_OOM_KILLS},
};

// What we give in bytes is in KiB there. meminfo says so in the line; vmstat does not, but its pgpgin and pgpgout are
// in KiB, too.
std::optional<std::uint64_t> value_of(StatId id, std::string_view line, std::string_view unit) {
  const auto number = whole_number(next_word(line));
  if (stats::stat(id).unit != stats::Unit::kBytes) return number;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 1024;
  if (!number || *number > kMost || next_word(line) != unit) return std::nullopt;
  return *number * 1024;
}

void parse(std::string_view text, std::span<const Row> rows, std::string_view unit, Collected& out) {
  std::array<bool, std::max(kMeminfo.size(), kVmstat.size())> seen{};
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    const auto row = std::ranges::find(rows, key, &Row::key);
    if (row == rows.end()) continue;
    bool& before = seen.at(static_cast<std::size_t>(row - rows.begin()));
    const auto value = value_of(row->id, line, unit);
    if (value && !before)
      out.add(row->id, *value);
    else
      ++out.unread;
    before = true;
  }
}

}  // namespace

void parse_meminfo(std::string_view text, Collected& out) {
  parse(text, kMeminfo, "kB", out);
}

void parse_vmstat(std::string_view text, Collected& out) {
  parse(text, kVmstat, "", out);
}

void MemoryCollector::collect(Collected& out) {
  if (const auto text = read_kernel_file(proc_ + "/meminfo", out)) parse_meminfo(*text, out);
  if (const auto text = read_kernel_file_if_there(proc_ + "/vmstat", out)) parse_vmstat(*text, out);
}

}  // namespace flowtap::telemetry
