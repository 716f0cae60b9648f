// A flow's record in the form of OpenTelemetry's log records (opentelemetry-proto, logs/v1, in its JSON encoding).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/lines/klog/klog_record.hpp"
#include "stream/lines/missing_cause.hpp"

namespace flowtap {

/// A line, or all lines of a record, with the newlines between them.
struct OtelRecord {
  std::optional<std::uint64_t>
      time;               ///< when its first line was written, ns since 1970; absent: it is our own message
  std::uint64_t nth = 0;  ///< its number among those with this time and first line
  std::string_view output;
  std::string_view text;
  std::optional<flow::KlogRecord> klog = {};  ///< parsed from the text, if it is a record of klog
  std::optional<std::uint64_t> missing = {};  ///< it is a gap of this many bytes
  flow::MissingCause cause = flow::MissingCause::kUnknown;  ///< of the gap
  bool cut = false;                                         ///< a gap has taken the end of its last line
};

/// {"timeUnixNano":"...","severityNumber":...,"severityText":"...","body":{"stringValue":"..."},"attributes":[...],
/// "traceId":"...","spanId":"..."} on one line. The flow is the trace. The attributes say whose record it is, by the semantic
/// conventions for Kubernetes, and have the keys of a record of klog. There is no severity if the record does not say it.
/// flowtap.missing_bytes and flowtap.cause are a gap's attributes, each absent where it is not known; flowtap.cut marks a record
/// that a gap has cut.
[[nodiscard]] std::string otel_record(std::string_view flow, const OtelRecord& record);

}  // namespace flowtap
