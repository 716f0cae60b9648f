#include "stats/rates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace flowtap::stats {
namespace {

/// If one total went back, this is a new flowtapd. It has counted all of them from 0, even those that seem to go on.
std::span<const TypeTotal> start_of(std::span<const TypeTotal> before, std::span<const TypeTotal> after) {
  for (const TypeTotal& now : after) {
    const auto then = std::ranges::find(before, now.type, &TypeTotal::type);
    if (then != before.end() && then->total > now.total) return {};
  }
  return before;
}

using BucketCounts = decltype(HistogramValue::counts);

BucketCounts grown(const BucketCounts& before, const BucketCounts& after) {
  // One bucket that went back is enough: all of them belong to the new flowtapd, even those that look plausible.
  for (std::size_t i = 0; i < after.size(); ++i)
    if (after.at(i) < before.at(i)) return after;
  BucketCounts delta{};
  std::ranges::transform(after, before, delta.begin(), std::minus<>{});
  return delta;
}

}  // namespace

SchedulerTotals& totals_of(std::vector<SchedulerTotals>& all, std::string_view scheduler) {
  const auto found = std::ranges::find(all, scheduler, &SchedulerTotals::scheduler);
  if (found != all.end()) return *found;
  all.push_back({std::string(scheduler), {}, std::nullopt});
  return all.back();
}

std::vector<SchedulerTotals> scheduler_totals(const Snapshot& snapshot) {
  std::vector<SchedulerTotals> all;
  for (const Series& s : snapshot.series) {
    if (s.labels.empty()) continue;
    if (s.stat->family == FamilyId::kDISPATCHED_TASKS && s.labels.size() == 2) {
      if (const auto* total = std::get_if<std::uint64_t>(&s.value))
        totals_of(all, s.labels[0]).types.push_back({s.labels[1], *total});
    } else if (s.stat->family == FamilyId::kRUN_QUEUE_LATENCY) {
      if (const auto* latency = histogram_in(s.value)) totals_of(all, s.labels[0]).latency = *latency;
    }
  }
  return all;
}

std::vector<TypeRate> type_rates(std::span<const TypeTotal> before, std::span<const TypeTotal> after,
                                 double seconds) {
  std::vector<TypeRate> rates;
  rates.reserve(after.size());
  std::uint64_t sum = 0;
  const auto start = start_of(before, after);
  for (const TypeTotal& now : after) {
    const auto then = std::ranges::find(start, now.type, &TypeTotal::type);
    const std::uint64_t count = now.total - (then != start.end() ? then->total : 0);
    sum += count;
    rates.push_back({now.type, count, seconds > 0 ? static_cast<double>(count) / seconds : 0, 0});
  }
  for (TypeRate& r : rates) r.share = sum > 0 ? static_cast<double>(r.count) / static_cast<double>(sum) : 0;
  return rates;
}

std::vector<SchedulerRates> scheduler_rates(std::span<const SchedulerTotals> before,
                                            std::span<const SchedulerTotals> after, double seconds) {
  static const SchedulerTotals kNothing{};
  std::vector<SchedulerRates> all;
  for (const SchedulerTotals& now : after) {
    const auto found = std::ranges::find(before, now.scheduler, &SchedulerTotals::scheduler);
    const SchedulerTotals& then = found != before.end() ? *found : kNothing;
    SchedulerRates r{now.scheduler, type_rates(then.types, now.types, seconds), 0, 0, {}, {}};
    for (const TypeRate& t : r.types) r.count += t.count;
    r.rate = seconds > 0 ? static_cast<double>(r.count) / seconds : 0;
    if (now.latency) {
      const HistogramValue start = then.latency.value_or(HistogramValue{});
      r.latency_p50 = quantile(start, *now.latency, 0.50);
      r.latency_p99 = quantile(start, *now.latency, 0.99);
    }
    all.push_back(std::move(r));
  }
  return all;
}

std::optional<double> quantile(const HistogramValue& before, const HistogramValue& after, double q) {
  const BucketCounts delta = grown(before.counts, after.counts);
  const std::uint64_t n = std::accumulate(delta.begin(), delta.end(), std::uint64_t{0});
  if (n == 0) return std::nullopt;
  const double rank = std::max(1.0, std::ceil(q * static_cast<double>(n)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i + 1 < delta.size(); ++i) {
    seen += delta.at(i);
    if (static_cast<double>(seen) >= rank) return histogram_edge(i);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace flowtap::stats
