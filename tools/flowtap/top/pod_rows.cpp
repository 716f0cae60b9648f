#include "pod_rows.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "pod_columns.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kPod = "pod";
constexpr std::string_view kContainer = "container";

bool is_wanted(const api::WorkloadKey& key, const PodChoice& choice) {
  if (!choice.ns.empty()) return key.kind == kPod && key.ns == choice.ns;
  return key.kind == kPod || key.kind == kContainer;
}

const api::WorkloadReading* find(const api::WorkloadsReading* in, const api::WorkloadKey& key) {
  if (in == nullptr) return nullptr;
  const auto at = std::ranges::lower_bound(in->workloads, key, {}, &api::WorkloadReading::key);
  return at != in->workloads.end() && at->key == key ? &*at : nullptr;
}

std::optional<double> value(const api::WorkloadReading* before, const api::WorkloadReading& now,
                            const PodColumn& column, double seconds) {
  if (column.how == PodColumn::How::kNow) return value_now(now, column);
  return before != nullptr ? rate(*before, now, column, seconds) : std::nullopt;
}

// The node keeps an ended workload's counters for some minutes. It has this family as long as one of the workload's containers is
// there.
constexpr const char* kInfo = "flowtap_workload_info";
constexpr const char* kCpu = "flowtap_workload_cpu_seconds_total";
constexpr std::array kOfLiving = {kInfo, "flowtap_workload_memory_usage_bytes",
                                  "flowtap_workload_memory_working_set_bytes"};

// Where nobody measures workloads, it is not known what has ended.
bool is_measured(const api::WorkloadsReading& now) {
  return std::ranges::any_of(now.workloads, [](const auto& one) { return one.values.contains(kCpu); });
}

bool still_runs(const api::WorkloadReading* before, const api::WorkloadReading& now) {
  if (std::ranges::any_of(kOfLiving, [&now](const char* family) { return now.values.contains(family); }))
    return true;
  const auto cpu = now.values.find(kCpu);
  const auto earlier = before != nullptr ? before->values.find(kCpu) : now.values.end();
  return cpu != now.values.end() && before != nullptr && earlier != before->values.end() &&
         cpu->second > earlier->second;
}

}  // namespace

PodInterval pod_interval(const api::WorkloadsReading* before, const api::WorkloadsReading& now,
                         const PodChoice& choice) {
  const auto columns = pod_columns();
  PodInterval interval;
  interval.end = now.time.count();
  if (before != nullptr) interval.seconds = (now.monotonic - before->monotonic).count();
  interval.known.resize(columns.size());
  std::map<api::WorkloadKey, PodRow> rows;
  const bool measured = is_measured(now);
  for (const api::WorkloadReading& workload : now.workloads) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      interval.known[i] = interval.known[i] || has(workload, columns[i]);
    if (!is_wanted(workload.key, choice)) continue;
    api::WorkloadKey key = workload.key;
    if (!choice.containers && key.kind == kPod) key.container.clear();
    const auto* const earlier = find(before, workload.key);
    const bool ended = measured && !still_runs(earlier, workload);
    const auto [at, is_first] = rows.try_emplace(key);
    PodRow& row = at->second;
    row.key = key;
    row.values.resize(columns.size());
    row.ended = ended && (is_first || row.ended);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const auto one = value(earlier, workload, columns[i], interval.seconds))
        row.values[i] = row.values[i].value_or(0) + *one;
  }
  interval.rows.reserve(rows.size());
  for (auto& [key, row] : rows)
    if (row.ended && !choice.ended)
      ++interval.left_out;
    else
      interval.rows.push_back(std::move(row));
  return interval;
}

void sort_rows(std::vector<PodRow>& rows, std::size_t column) {
  std::ranges::stable_sort(rows, [column](const PodRow& a, const PodRow& b) {
    if (a.ended != b.ended) return b.ended;
    return b.values[column] < a.values[column];  // an absent one is less than any
  });
}

}  // namespace flowtap::cli
