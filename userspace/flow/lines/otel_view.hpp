// A scheduler's record in OpenTelemetry's terms (opentelemetry-specification, logs/data-model.md): a flow is a trace, a
// record of it a span or log record, its keys are attributes. Ids are the same wherever and whenever they are made.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/lines/klog_record.hpp"

namespace flowtap::flow {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

struct OtelRecord {
  TraceId trace{};
  SpanId span{};
  int severity = 0;  ///< SeverityNumber: INFO 9, WARN 13, ERROR 17, FATAL 21
  std::string_view severity_text;
  std::string body;  ///< the message
  std::vector<std::pair<std::string, std::string>>
      attributes;  ///< in the record's order, a key twice if it is there twice
};

/// Of a flow's id ("sched/ns/name"). Never all zeros, which would be invalid. No secret: whoever knows the id knows it.
[[nodiscard]] TraceId trace_id(std::string_view flow);
/// Of the record that begins at `offset` of a stream. Never all zeros.
[[nodiscard]] SpanId span_id(std::string_view stream, std::uint64_t offset);
/// A whole record of `flow`.
[[nodiscard]] OtelRecord otel_view(std::string_view flow, std::string_view stream, std::uint64_t offset,
                                   const KlogRecord& record);

}  // namespace flowtap::flow
