#include "api/json/workloads_json.hpp"

#include <array>
#include <cmath>

#include "base/json/members.hpp"
#include "stats/table.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;

struct Label {
  std::string_view key;
  std::string WorkloadKey::* member;
};
constexpr std::array kLabels = {
    Label{"kind", &WorkloadKey::kind},         Label{"namespace", &WorkloadKey::ns},
    Label{"pod", &WorkloadKey::pod},           Label{"container", &WorkloadKey::container},
    Label{"workload", &WorkloadKey::workload},
};

// Where these stand among a family's labels; nothing: the family is not about workloads.
std::optional<std::size_t> place_in(const stats::Family& family) {
  const std::size_t count = stats::label_count(family.labels);
  for (std::size_t first = 0; first + kLabels.size() <= count; ++first) {
    bool all = true;
    for (std::size_t i = 0; i < kLabels.size(); ++i)
      all = all && stats::label_key(family.labels, first + i) == kLabels.at(i).key;
    if (all) return first;
  }
  return std::nullopt;
}

WorkloadKey key_of(const stats::Series& series, std::size_t place) {
  WorkloadKey key;
  for (std::size_t i = 0; i < kLabels.size(); ++i) key.*kLabels.at(i).member = series.labels[place + i];
  return key;
}

bool matches(const WorkloadKey& key, const WorkloadFilter& filter) {
  return (!filter.kind || key.kind == *filter.kind) && (!filter.ns || key.ns == *filter.ns) &&
         (!filter.pod || key.pod == *filter.pod);
}

// Nothing: the value is not a number.
std::optional<json::value> value_of(const stats::Series& series) {
  if (const auto* count = std::get_if<std::uint64_t>(&series.value)) return json::value(*count);
  const auto* real = std::get_if<double>(&series.value);
  return real != nullptr && std::isfinite(*real) ? std::optional(json::value(*real)) : std::nullopt;
}

struct Found {
  json::object values;
  json::array series;
};

void take(const stats::Series& series, const stats::Family& family, std::size_t place, Found& found) {
  auto value = value_of(series);
  if (!value) return;
  if (series.labels.size() == kLabels.size()) {
    found.values[json_view(family.name)] = std::move(*value);
    return;
  }
  json::object labels;
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    if (i < place || i >= place + kLabels.size())
      labels[json_view(stats::label_key(family.labels, i))] = utf8(series.labels[i]);
  found.series.push_back(json::object{
      {"name", json_view(family.name)}, {"labels", std::move(labels)}, {"value", std::move(*value)}});
}

json::object to_json(const WorkloadKey& key, Found found) {
  json::object out;
  for (const Label& label : kLabels)
    if (const std::string& text = key.*label.member; !text.empty()) out[json_view(label.key)] = utf8(text);
  out["values"] = std::move(found.values);
  if (!found.series.empty()) out["series"] = std::move(found.series);
  return out;
}

double seconds(std::chrono::duration<double> since) {
  return since.count();
}

}  // namespace

std::string workloads_to_json(const stats::Snapshot& snapshot, const WorkloadFilter& filter) {
  std::map<WorkloadKey, Found> workloads;
  const stats::Family* family = nullptr;  // of the series before: the series of one family follow each other
  std::optional<std::size_t> place;
  for (const stats::Series& series : snapshot.series) {
    if (family == nullptr || family->id != series.stat->family) {
      family = &stats::family(series.stat->family);
      place = place_in(*family);
    }
    if (!place) continue;
    WorkloadKey key = key_of(series, *place);
    if (matches(key, filter)) take(series, *family, *place, workloads[std::move(key)]);
  }
  json::array all;
  for (auto& [key, found] : workloads) all.push_back(to_json(key, std::move(found)));
  const auto measured = snapshot.measured.value_or(snapshot.steady);
  return json::serialize(
      json::object{{"time_seconds", seconds(snapshot.time.time_since_epoch() - (snapshot.steady - measured))},
                   {"monotonic_seconds", seconds(measured.time_since_epoch())},
                   {"workloads", std::move(all)}});
}

Result<WorkloadsReading> workloads_from_json(std::string_view text) {
  FTAP_TRY_ASSIGN(object, parse_object(text, "the list of workloads"));
  const auto time = number_member(object, "time_seconds");
  const auto monotonic = number_member(object, "monotonic_seconds");
  constexpr double kYear10000 = 253402300800;
  if (!time || !(*time >= 0 && *time < kYear10000) || !monotonic)
    return fail("the list of workloads does not say when it was made");
  std::map<WorkloadKey, std::map<std::string, double>> workloads;
  each_object(object, "workloads", [&workloads](const json::object& workload) {
    WorkloadKey key;
    for (const Label& label : kLabels) key.*label.member = text_member(workload, label.key);
    auto& values = workloads[std::move(key)];
    const auto add = [&values](std::string name, const std::optional<double>& value) {
      if (!value) return;
      double& sum = values[std::move(name)];
      if (std::isfinite(sum + *value)) sum += *value;
    };
    if (const auto* plain = member(workload, "values"); plain != nullptr && plain->is_object())
      for (const auto& [name, value] : plain->get_object())
        add(name, number_member(plain->get_object(), name));
    each_object(workload, "series", [&add](const json::object& series) {
      add(text_member(series, "name"), number_member(series, "value"));
    });
  });
  WorkloadsReading reading{.time = std::chrono::duration<double>(*time),
                           .monotonic = std::chrono::duration<double>(*monotonic),
                           .workloads = {}};
  reading.workloads.reserve(workloads.size());
  for (auto& [key, values] : workloads) reading.workloads.push_back({key, std::move(values)});
  return reading;
}

}  // namespace flowtap::api
