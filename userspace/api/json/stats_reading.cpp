// JSON → the totals that rates are made of. A client of the API reads what a flowtapd of another version
// wrote, so nothing here relies on the form of the text.
#include <cmath>

#include "api/json/stats_json.hpp"
#include "base/json/members.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

/// The bucket with this upper edge; buckets of another layout are not shown.
std::optional<std::size_t> bucket_with_edge(double le) {
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i)
    if (std::abs(stats::histogram_edge(i) - le) < stats::histogram_edge(i) * 1e-6) return i;
  return std::nullopt;
}

std::optional<stats::HistogramValue> histogram_from_json(const json::object& series) {
  stats::HistogramValue histogram;
  const auto total = count_member(series, "total");
  if (!total) return std::nullopt;
  std::uint64_t below = 0;
  bool known = true;
  each_object(series, "buckets", [&](const json::object& bucket) {
    const auto le = number_member(bucket, "le");
    const auto upto = count_member(bucket, "total");
    const auto index = le ? bucket_with_edge(*le) : std::nullopt;
    known = known && index && upto && *upto >= below;
    if (!known) return;
    histogram.counts.at(*index) = *upto - below;
    below = *upto;
  });
  if (!known || *total < below) return std::nullopt;
  histogram.counts.back() = *total - below;
  histogram.sum = number_member(series, "sum").value_or(0);
  return histogram;
}

void take_family(const json::object& family, std::vector<stats::SchedulerTotals>& schedulers) {
  const std::string name = text_member(family, "name");
  const bool dispatches = name == stats::family(stats::FamilyId::kDISPATCHED_TASKS).name;
  if (!dispatches && name != stats::family(stats::FamilyId::kRUN_QUEUE_LATENCY).name) return;
  each_object(family, "series", [&](const json::object& series) {
    const auto* labels = member(series, "labels");
    if (labels == nullptr || !labels->is_object()) return;
    auto& totals = stats::totals_of(schedulers, text_member(labels->get_object(), "scheduler"));
    if (!dispatches)
      totals.latency = histogram_from_json(series);
    else if (const auto total = count_member(series, "total"))
      totals.types.push_back({text_member(labels->get_object(), "type"), *total});
  });
}

}  // namespace

Result<StatsReading> stats_from_json(std::string_view text) {
  FTAP_TRY_ASSIGN(object, parse_object(text, "the stats"));
  StatsReading reading;
  reading.cycle = count_member(object, "cycle").value_or(0);
  reading.time = std::chrono::duration<double>(number_member(object, "time_seconds").value_or(0));
  each_object(object, "families", [&reading](const json::object& f) { take_family(f, reading.schedulers); });
  return reading;
}

}  // namespace flowtap::api
