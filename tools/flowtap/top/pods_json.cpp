#include "base/json/members.hpp"
#include "pod_columns.hpp"
#include "pods_screen.hpp"

namespace flowtap::cli {
namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
  return {text.data(), text.size()};
}

json::object row_json(const PodRow& row) {
  json::object out{{"kind", utf8(row.key.kind)}};
  const auto put = [&out](std::string_view name, const std::string& text) {
    if (!text.empty()) out[view(name)] = utf8(text);
  };
  put("namespace", row.key.ns);
  put("pod", row.key.pod);
  put("container", row.key.container);
  put("workload", row.key.workload);
  if (row.ended) out["ended"] = true;
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (row.values[i]) out[view(pod_columns()[i].member)] = number(*row.values[i]);
  return out;
}

}  // namespace

std::string pods_json(const PodInterval& interval) {
  json::array pods;
  for (const PodRow& row : interval.rows) pods.push_back(row_json(row));
  return json::serialize(json::object{{"time_seconds", number(interval.end)},
                                      {"interval_seconds", number(interval.seconds)},
                                      {"pods", std::move(pods)}});
}

}  // namespace flowtap::cli
