#include "daemon/stream/otel_reader.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>

#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "flow/lines/klog_record.hpp"
#include "flow/lines/otel_view.hpp"
#include "identity/flow_id.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

// A record is made of no more than this of a line; what follows is a record of its own.
constexpr std::size_t kLongestBody = std::size_t{256} << 10U;
// A record says whose it is again in each line, so it takes about so much more than its line.
constexpr std::size_t kGrowth = 4;

// JSON is UTF-8; what is none is shown as text on a terminal would be.
std::string utf8(std::string_view text) {
  return printable(text, "\n\t\r\x1b");
}

void put(json::array& attributes, json::string_view key, std::string_view value) {
  attributes.push_back(json::object{{"key", key}, {"value", json::object{{"stringValue", utf8(value)}}}});
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
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : id) text += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  return text;
}

}  // namespace

std::string otel_log_record(std::string_view flow, std::string_view line) {
  json::object record;
  const std::size_t space = line.find(' ');
  if (const auto time = parse_rfc3339(line.substr(0, space))) {
    const auto ns = std::chrono::nanoseconds(time->time_since_epoch()).count();
    record["timeUnixNano"] = std::to_string(ns);
    line.remove_prefix(std::min(space, line.size() - 1) + 1);
  }
  json::array attributes;
  put_origin(attributes, flow);
  std::string body(line);
  if (const auto klog = flow::parse_klog_record(line)) {
    // Where it stands in its stream is not known here, so it has no id of a span.
    flow::OtelRecord view = flow::otel_view(flow, {}, 0, *klog);
    record["severityNumber"] = view.severity;
    record["severityText"] = json::string_view(view.severity_text.data(), view.severity_text.size());
    body = std::move(view.body);
    for (const auto& [key, value] : view.attributes) put(attributes, utf8(key), value);
  }
  record["body"] = json::object{{"stringValue", utf8(body)}};
  record["attributes"] = std::move(attributes);
  record["traceId"] = hex(flow::trace_id(flow));
  return json::serialize(record);
}

Result<api::RawReader::Piece> OtelReader::read(std::size_t limit) {
  FTAP_TRY_ASSIGN(piece, lines_->read(limit / kGrowth));
  const bool had_some = !piece.bytes.empty();
  rest_ += piece.bytes;
  piece.bytes.clear();
  std::size_t begin = 0;
  for (std::size_t newline = 0; (newline = rest_.find('\n', begin)) != std::string::npos; begin = newline + 1)
    piece.bytes += otel_log_record(flow_, std::string_view(rest_).substr(begin, newline - begin)) + "\n";
  rest_.erase(0, begin);
  if (!rest_.empty() && (piece.end || rest_.size() >= kLongestBody)) {
    piece.bytes += otel_log_record(flow_, rest_) + "\n";
    rest_.clear();
  }
  // Half a line is no reason to wait: there may be more of it.
  piece.again = piece.again || (had_some && piece.bytes.empty() && !piece.end);
  return piece;
}

}  // namespace flowtap
