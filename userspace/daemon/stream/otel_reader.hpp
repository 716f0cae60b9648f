// A flow's log in OpenTelemetry's terms (opentelemetry-proto, logs/v1, in its JSON encoding): each line is a LogRecord.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/flow_views.hpp"

namespace flowtap {

/// {"timeUnixNano":"...","severityNumber":...,"severityText":"...","body":{"stringValue":"..."},"attributes":[...],
/// "traceId":"..."} of a line with its time in front of it. The flow is the trace; attributes are whose line it is, by the
/// semantic conventions for Kubernetes, and the keys of a record of klog. Without severity where the line does not say it.
[[nodiscard]] std::string otel_log_record(std::string_view flow, std::string_view line);

/// Reads another reader's lines, which have their times in front, as such records, one a line.
class OtelReader final : public api::RawReader {
 public:
  OtelReader(std::string flow, std::unique_ptr<api::RawReader> lines)
      : flow_(std::move(flow)), lines_(std::move(lines)) {}

  [[nodiscard]] Result<bool> prepare() override { return lines_->prepare(); }
  [[nodiscard]] Result<Piece> read(std::size_t limit) override;
  void when_more(std::function<void()> wake) override { lines_->when_more(std::move(wake)); }
  [[nodiscard]] std::optional<std::uint64_t> missing_bytes() const override {
    return lines_->missing_bytes();
  }

 private:
  std::string flow_;
  std::unique_ptr<api::RawReader> lines_;
  std::string rest_;  // of a line that is not whole yet
};

}  // namespace flowtap
