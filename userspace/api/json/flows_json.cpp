#include "api/json/flows_json.hpp"

#include <utility>

#include "base/json/members.hpp"
#include "base/rfc3339.hpp"

namespace flowtap::api {
namespace {

namespace json = boost::json;
constexpr const char* kBegin = R"({"flows":[)";
using Time = std::optional<std::chrono::system_clock::time_point>;

void put(json::object& out, json::string_view name, const std::optional<std::string>& text) {
  if (text) out[name] = utf8(*text);
}

void put(json::object& out, json::string_view name, const Time& time) {
  if (time) out[name] = rfc3339_nano(*time);
}

json::array streams_to_json(const std::vector<StreamStatus>& streams) {
  json::array out;
  for (const StreamStatus& s : streams)
    out.push_back(json::object{{"name", utf8(s.name)},
                               {"capture", utf8(s.capture)},
                               {"bytes", s.bytes},
                               {"missing_bytes", s.missing_bytes},
                               {"open", s.open}});
  return out;
}

json::object flow_to_json(const FlowStatus& flow) {
  json::object out{{"id", utf8(flow.id)}, {"kind", utf8(flow.kind)}};
  put(out, "namespace", flow.ns);
  put(out, "pod", flow.pod);
  put(out, "uid", flow.uid);
  put(out, "container", flow.container);
  if (flow.restart) out["restart"] = *flow.restart;
  if (flow.run) out["run"] = *flow.run;
  put(out, "image", flow.image);
  put(out, "runtime", flow.runtime);
  put(out, "group", flow.group);
  out["bytes"] = flow.bytes;
  out["lines"] = flow.lines;
  put(out, "first", flow.first);
  put(out, "last", flow.last);
  put(out, "ended", flow.ended);
  out["open"] = flow.open;
  out["missing_bytes"] = flow.missing_bytes;
  out["found_bytes"] = flow.found_bytes;
  if (flow.more_before) out["more_before"] = true;
  put(out, "audit", flow.audit);
  out["suspect"] = flow.suspect;
  out["streams"] = streams_to_json(flow.streams);
  return out;
}

std::optional<std::string> text_of(const json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return text_member(object, name);
}

FlowStatus flow_from_json(const json::object& object) {
  FlowStatus flow;
  flow.id = text_member(object, "id");
  flow.kind = text_member(object, "kind");
  flow.ns = text_of(object, "namespace");
  flow.pod = text_of(object, "pod");
  flow.uid = text_of(object, "uid");
  flow.container = text_of(object, "container");
  flow.image = text_of(object, "image");
  flow.runtime = text_of(object, "runtime");
  flow.restart = count_member(object, "restart");
  flow.run = count_member(object, "run");
  flow.group = text_of(object, "group");
  flow.bytes = count_member(object, "bytes").value_or(0);
  flow.lines = count_member(object, "lines").value_or(0);
  flow.missing_bytes = count_member(object, "missing_bytes").value_or(0);
  flow.found_bytes = count_member(object, "found_bytes").value_or(0);
  flow.more_before = bool_member(object, "more_before");
  flow.audit = text_of(object, "audit");
  flow.suspect = bool_member(object, "suspect");
  flow.first = parse_rfc3339(text_member(object, "first"));
  flow.last = parse_rfc3339(text_member(object, "last"));
  flow.ended = parse_rfc3339(text_member(object, "ended"));
  flow.open = bool_member(object, "open");
  each_object(object, "streams", [&flow](const json::object& s) {
    flow.streams.push_back({text_member(s, "name"), text_member(s, "capture"),
                            count_member(s, "bytes").value_or(0),
                            count_member(s, "missing_bytes").value_or(0), bool_member(s, "open")});
  });
  return flow;
}

}  // namespace

std::string flows_to_json(const std::vector<FlowStatus>& flows) {
  FlowsToJson list;
  std::string text = list.add(flows);
  return text += list.end();
}

std::string FlowsToJson::add(const std::vector<FlowStatus>& flows) {
  std::string text;
  for (const FlowStatus& flow : flows)
    text += (std::exchange(begun_, true) ? "," : kBegin) + json::serialize(flow_to_json(flow));
  return text;
}

std::string FlowsToJson::end() {
  return (std::exchange(begun_, false) ? "" : kBegin) + std::string("]}");
}

Result<std::vector<FlowStatus>> flows_from_json(std::string_view text) {
  FTAP_TRY_ASSIGN(object, parse_object(text, "the list of flows"));
  std::vector<FlowStatus> flows;
  each_object(object, "flows", [&flows](const json::object& f) { flows.push_back(flow_from_json(f)); });
  return flows;
}

}  // namespace flowtap::api
