#include "stream/reading/forms/otel_record.hpp"

#include <array>
#include <boost/json.hpp>

#include "base/percent.hpp"
#include "base/printable.hpp"
#include "identity/flow_id.hpp"
#include "stream/lines/otel_view.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

// JSON is UTF-8. Other bytes are shown as a terminal would show them.
std::string shown(std::string_view text) {
  return printable(text, "\n\t\r\x1b");
}

void put(json::array& attributes, json::string_view key, std::string_view value) {
  attributes.push_back(json::object{{"key", key}, {"value", json::object{{"stringValue", shown(value)}}}});
}

// opentelemetry.io/docs/specs/semconv/resource/k8s
void put_origin(json::array& attributes, std::string_view flow) {
  static constexpr std::array kNames = {"k8s.namespace.name", "k8s.pod.name", "k8s.pod.uid",
                                        "k8s.container.name", "k8s.container.restart_count"};
  const auto parts = identity::flow_id_components(flow);
  if (parts && parts->size() >= 2 && (parts->front() == "pod" || parts->front() == "sched") &&
      parts->at(1) != "other")
    for (std::size_t i = 0; i < kNames.size() && i + 1 < parts->size(); ++i)
      put(attributes, kNames.at(i), parts->at(i + 1));
  put(attributes, "flowtap.flow", flow);
}

template <typename Id>
std::string hex(const Id& id) {
  std::string text;
  for (const std::uint8_t byte : id) append_hex(text, byte);
  return text;
}

}  // namespace

std::string otel_record(std::string_view flow, const OtelRecord& record) {
  json::object out;
  if (record.time) out["timeUnixNano"] = std::to_string(*record.time);
  json::array attributes;
  put_origin(attributes, flow);
  std::string body(record.text);
  if (record.klog) {
    flow::OtelView view = flow::otel_view(*record.klog);
    out["severityNumber"] = view.severity;
    out["severityText"] = json::string_view(view.severity_text.data(), view.severity_text.size());
    body = std::move(view.body);
    for (const auto& [key, value] : view.attributes) put(attributes, shown(key), value);
  }
  if (record.missing) put(attributes, "flowtap.missing_bytes", std::to_string(*record.missing));
  if (record.cause != flow::MissingCause::kUnknown) put(attributes, "flowtap.cause", to_string(record.cause));
  if (record.cut) put(attributes, "flowtap.cut", "true");
  out["body"] = json::object{{"stringValue", shown(body)}};
  out["attributes"] = std::move(attributes);
  out["traceId"] = hex(flow::trace_id(flow));
  const std::string_view first_line = record.text.substr(0, record.text.find('\n'));
  out["spanId"] = hex(flow::span_id(flow, {record.time.value_or(0), record.nth, record.output, first_line}));
  return json::serialize(out);
}

}  // namespace flowtap
