// A scheduler's record in OpenTelemetry's terms (opentelemetry-specification, logs/data-model.md): a flow is a trace, a record of
// it is a span or log record, and the record's keys are attributes. Ids are the same wherever and whenever they are made.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

struct OtelView {
  int severity = 0;  ///< SeverityNumber: INFO 9, WARN 13, ERROR 17, FATAL 21
  std::string_view severity_text;
  std::string body;  ///< the message; for a record of several lines, all that is behind its header
  std::vector<std::pair<std::string, std::string>>
      attributes;  ///< in the record's order, a key twice if it is there twice
};

/// The trace id of a flow's id ("sched/ns/name"). Never all zeros, which would be invalid. It is no secret: whoever knows the
/// flow's id knows it.
[[nodiscard]] TraceId trace_id(std::string_view flow);

/// Tells a record among those of its flow. Its number in the log cannot tell it: that changes when a gap before it is filled, or
/// when the flow had to make room and begins anew.
struct RecordPlace {
  std::uint64_t time = 0;  ///< ns since 1970
  std::uint64_t nth = 0;   ///< its number among those with this time and first line
  std::string_view output;
  std::string_view line;  ///< its first line; a reading may begin amid the records of one time
};
/// Never all zeros.
[[nodiscard]] SpanId span_id(std::string_view flow, const RecordPlace& place);

/// A whole record.
[[nodiscard]] OtelView otel_view(const KlogRecord& record);

}  // namespace flowtap::flow
