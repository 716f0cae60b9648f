#include "pod_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {
namespace {

// Percent of one CPU: "0.5 %", "104 %".
std::string percent(double share) {
  const double value = share * 100;
  return value < 9.95 ? fmt::format("{:.1f} %", value) : fmt::format("{:.0f} %", value);
}

std::string bytes(double number) {
  constexpr double kMost = 1e18;
  return bytes_text(static_cast<std::uint64_t>(std::llround(std::clamp(number, 0.0, kMost))));
}

std::string watts(double number) {
  return fmt::format("{:.{}f} W", number, number < 99.95 ? 1 : 0);
}

using enum PodColumn::How;

constexpr std::array kColumns = {
    PodColumn{"cpu", "CPU", "cpu_cores", kRate, false, {"flowtap_workload_cpu_seconds_total"}, percent, 6, 9},
    PodColumn{"wait",
              "wait",
              "waiting_cores",
              kRate,
              false,
              {"flowtap_workload_run_queue_seconds_total"},
              percent,
              6,
              4},
    PodColumn{"memory",
              "memory",
              "memory_bytes",
              kNow,
              false,
              {"flowtap_workload_memory_working_set_bytes", "flowtap_workload_memory_usage_bytes"},
              bytes,
              8,
              8},
    PodColumn{"io",
              "I/O /s",
              "io_bytes_per_second",
              kRate,
              true,
              {"flowtap_workload_io_read_bytes_total", "flowtap_workload_io_written_bytes_total"},
              bytes,
              8,
              3,
              true},
    PodColumn{"logs",
              "logs /s",
              "log_bytes_per_second",
              kRate,
              false,
              {"flowtap_workload_log_bytes_total"},
              bytes,
              8,
              5},
    PodColumn{"watts",
              "power",
              "watts",
              kRate,
              true,
              {"flowtap_workload_joules_total", "flowtap_workload_device_joules_total"},
              watts,
              6,
              6},
    PodColumn{"gpu",
              "GPU",
              "device_utilization",
              kNow,
              false,
              {"flowtap_workload_device_utilization_ratio"},
              percent,
              6,
              7},
    PodColumn{"gpu-memory",
              "GPU mem",
              "device_memory_bytes",
              kNow,
              false,
              {"flowtap_workload_device_memory_used_bytes"},
              bytes,
              8,
              2},
    PodColumn{"", "", "log_bytes", kNow, false, {"flowtap_workload_log_bytes_total"}},
    PodColumn{"", "", "log_lines", kNow, false, {"flowtap_workload_log_lines_total"}},
    PodColumn{"", "", "log_missing_bytes", kNow, false, {"flowtap_workload_log_missing_bytes_total"}},
};

std::optional<double> value_of(const api::WorkloadReading& workload, std::string_view family) {
  if (family.empty()) return std::nullopt;
  const auto at = workload.values.find(std::string(family));
  return at == workload.values.end() ? std::nullopt : std::optional(at->second);
}

// Combines the families' values from `of`: their sum, or the first one that is there.
template <typename Of>
std::optional<double> combined(const PodColumn& column, Of of) {
  std::optional<double> all;
  for (const std::string_view family : column.families) {
    const auto one = of(family);
    if (!one) continue;
    all = all.value_or(0) + *one;
    if (!column.sum) break;
  }
  return all;
}

}  // namespace

std::span<const PodColumn> pod_columns() {
  return kColumns;
}

std::optional<std::size_t> pod_column(std::string_view word) {
  const auto at = std::ranges::find(kColumns, word, &PodColumn::word);
  if (word.empty() || at == kColumns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - kColumns.begin());
}

std::string pod_column_words() {
  std::string words;
  for (const PodColumn& column : kColumns)
    if (!column.word.empty()) words += (words.empty() ? "" : ", ") + std::string(column.word);
  return words;
}

bool has(const api::WorkloadReading& workload, const PodColumn& column) {
  return value_now(workload, column).has_value();
}

std::optional<double> value_now(const api::WorkloadReading& workload, const PodColumn& column) {
  return combined(column, [&](std::string_view family) { return value_of(workload, family); });
}

std::optional<double> rate(const api::WorkloadReading& before, const api::WorkloadReading& now,
                           const PodColumn& column, double seconds) {
  if (!(seconds > 0)) return std::nullopt;
  return combined(column, [&](std::string_view family) -> std::optional<double> {
    auto from = value_of(before, family);
    if (!from && column.from_nothing) from = 0;
    const auto to = value_of(now, family);
    if (!from || !to || *to < *from) return std::nullopt;
    return (*to - *from) / seconds;
  });
}

}  // namespace flowtap::cli
