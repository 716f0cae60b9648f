#include "api/json/stats_json.hpp"

#include <algorithm>

#include "base/json/members.hpp"
#include "stats/table.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

void append_histogram(json::object& out, const stats::HistogramValue& histogram, const stats::Stat& stat) {
  json::array buckets;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < FTAP_HIST_BUCKETS; ++i) {
    total += histogram.counts.at(i);
    if (stats::has_edge(stat, i))
      buckets.push_back(json::object{{"le", stats::histogram_edge(i, stat.widened)}, {"total", total}});
  }
  out["total"] = total + histogram.counts.back();
  out["sum"] = number(histogram.sum);
  out["buckets"] = std::move(buckets);
}

json::object series_to_json(const stats::Series& series, const stats::Family& family) {
  json::object labels;
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    labels[json_view(stats::label_key(family.labels, i))] = series.labels[i];
  json::object out{{"labels", std::move(labels)}};
  if (const auto* histogram = stats::histogram_in(series.value)) {
    append_histogram(out, *histogram, *series.stat);
  } else {
    const auto* count = std::get_if<std::uint64_t>(&series.value);
    const char* name = series.stat->kind == stats::Kind::kGauge ? "value" : "total";
    out[name] = count != nullptr ? json::value(*count) : number(std::get<double>(series.value));
  }
  return out;
}

json::object family_to_json(const stats::Family& family, json::array series) {
  const stats::Stat& first = stats::first_stat(family.id);
  json::array keys;
  for (std::size_t i = 0; i < stats::label_count(family.labels); ++i)
    keys.emplace_back(json_view(stats::label_key(family.labels, i)));
  return {{"name", json_view(family.name)},
          {"kind", json_view(stats::kind_name(first.kind))},
          {"unit", json_view(stats::unit_name(first.unit))},
          {"help", json_view(family.help)},
          {"labels", std::move(keys)},
          {"series", std::move(series)}};
}

double seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

std::string stats_to_json(const stats::Snapshot& snapshot) {
  std::vector<json::array> series(stats::families().size());
  for (const stats::Series& s : snapshot.series) {
    const auto family = s.stat->family;
    series.at(static_cast<std::size_t>(family)).push_back(series_to_json(s, stats::family(family)));
  }
  json::array families;
  for (const stats::Family& f : stats::families())
    families.push_back(family_to_json(f, std::move(series.at(static_cast<std::size_t>(f.id)))));
  return json::serialize(json::object{{"cycle", snapshot.cycle},
                                      {"start_seconds", seconds(snapshot.start)},
                                      {"time_seconds", seconds(snapshot.time)},
                                      {"families", std::move(families)}});
}

}  // namespace flowtap::api
