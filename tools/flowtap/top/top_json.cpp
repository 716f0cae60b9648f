#include "base/json/members.hpp"
#include "top_screen.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

/// Absent if there are no values, and above the largest bucket, whose edge is not a number.
json::value quantile(const std::optional<double>& seconds) {
  return seconds ? number(*seconds) : json::value(nullptr);
}

json::object scheduler_json(const stats::SchedulerRates& scheduler) {
  json::array types;
  for (const auto& t : scheduler.types)
    types.push_back(json::object{
        {"type", t.type}, {"count", t.count}, {"rate", number(t.rate)}, {"share", number(t.share)}});
  return {{"scheduler", scheduler.scheduler},
          {"count", scheduler.count},
          {"rate", number(scheduler.rate)},
          {"latency_p50_seconds", quantile(scheduler.latency_p50)},
          {"latency_p99_seconds", quantile(scheduler.latency_p99)},
          {"types", std::move(types)}};
}

}  // namespace

std::string top_json(const Interval& interval) {
  json::array schedulers;
  for (const auto& scheduler : interval.schedulers) schedulers.push_back(scheduler_json(scheduler));
  return json::serialize(json::object{{"time_seconds", number(interval.end)},
                                      {"interval_seconds", number(interval.seconds)},
                                      {"schedulers", std::move(schedulers)}});
}

}  // namespace flowtap::cli
