#include "telemetry/node/schedstat.hpp"

#include <array>
#include <set>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// The last three of the nine numbers: nanoseconds run, nanoseconds waited, timeslices.
constexpr std::size_t kCpuNumbers = 9;
constexpr std::size_t kRunning = 6;
constexpr std::size_t kWaiting = 7;
constexpr std::size_t kTimeslices = 8;

bool add_cpu(std::string_view number, std::string_view rest, std::set<std::uint64_t>& seen, Collected& out) {
  std::array<std::uint64_t, kCpuNumbers> numbers{};
  for (std::uint64_t& value : numbers) {
    const auto read = whole_number(next_word(rest));
    if (!read) return false;
    value = *read;
  }
  const auto cpu = whole_number(number);
  if (!cpu || !seen.insert(*cpu).second) return false;
  const std::string label = std::to_string(*cpu);
  out.add(StatId::kNODE_SCHEDSTAT_RUNNING, static_cast<double>(numbers[kRunning]) / 1e9, {label});
  out.add(StatId::kNODE_SCHEDSTAT_WAITING, static_cast<double>(numbers[kWaiting]) / 1e9, {label});
  out.add(StatId::kNODE_SCHEDSTAT_TIMESLICES, numbers[kTimeslices], {label});
  return true;
}

}  // namespace

void parse_schedstat(std::string_view text, Collected& out) {
  std::string_view line = next_line(text);
  const bool is_version = next_word(line) == "version";
  const auto version = whole_number(next_word(line));
  if (!is_version || !version || *version < 15 || *version > 17) {
    ++out.unread;
    return;
  }
  std::set<std::uint64_t> seen;
  while (!text.empty()) {
    line = next_line(text);
    const std::string_view key = next_word(line);
    if (key.starts_with("cpu") && !add_cpu(key.substr(3), line, seen, out)) ++out.unread;
  }
}

void SchedstatCollector::collect(Collected& out) {
  if (const auto text = read_kernel_file_if_there(proc_ + "/schedstat", out)) parse_schedstat(*text, out);
}

}  // namespace flowtap::telemetry
