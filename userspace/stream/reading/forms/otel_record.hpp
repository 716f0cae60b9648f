// A record of a flow as OpenTelemetry has log records (opentelemetry-proto, logs/v1, in its JSON encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/lines/klog_record.hpp"

namespace flowtap {

/// A line, or all lines of a record, with the newlines between them.
struct OtelRecord {
  std::optional<std::uint64_t> time;  ///< ns since 1970, of its first line; absent: a word of our own
  std::uint64_t nth = 0;              ///< of those with this time and first line
  std::string_view output;
  std::string_view text;
  std::optional<flow::KlogRecord> klog = {};  ///< of the text, where it is a record of klog
};

/// {"timeUnixNano":"...","severityNumber":...,"severityText":"...","body":{"stringValue":"..."},"attributes":[...],
/// "traceId":"...","spanId":"..."} on one line. The flow is the trace; attributes are whose record it is, by the semantic
/// conventions for Kubernetes, and the keys of a record of klog. Without severity where the record does not say it.
[[nodiscard]] std::string otel_record(std::string_view flow, const OtelRecord& record);

}  // namespace flowtap
