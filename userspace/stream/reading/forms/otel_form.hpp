// A flow's log as OpenTelemetry's log records, one on each line of JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "component/views/flow_views.hpp"
#include "stream/lines/log_records.hpp"
#include "stream/reading/forms/form.hpp"
#include "stream/reading/forms/otel_record.hpp"

namespace flowtap {

/// Each line is a record, in however many parts it came; in a scheduler's log, all lines of a klog record are one. What is
/// longer than kLongestLine, or kLongestBody, goes on in a record of its own. A byte limit is kept to by whole records. A gap is a
/// record with the attribute flowtap.missing_bytes, and one with flowtap.cut has lost the end of its last line to a gap.
class OtelForm final : public Form {
 public:
  static constexpr std::size_t kLongestBody = std::size_t{256} << 10U;
  static constexpr std::size_t kLongestLine = std::size_t{64}
                                              << 10U;  ///< for other flows, since thousands may be followed
  OtelForm(std::string flow, const api::LogReadOptions& options, bool is_schedulers)
      : flow_(std::move(flow)),
        options_(options),
        records_({.most = is_schedulers ? kLongestBody : kLongestLine,
                  .has_headers = is_schedulers,
                  .takes_all = true}) {}

  void take(const flow::CriLine& line, Piece& piece) override;
  void say(std::string_view text, Piece& piece) override;
  void jump(Piece& piece) override;
  [[nodiscard]] Clock::time_point rest(Piece& piece) override;
  void finish(Piece& piece) override;

 private:
  /// Tells an output's records apart.
  struct Output {
    std::uint64_t time = 0;  ///< of the record that was written last
    std::unordered_map<std::size_t, std::uint64_t>
        known;  ///< how many records of that time began with this line, by its hash
  };

  [[nodiscard]] auto writes(Piece& piece) {
    return [this, &piece](std::string_view output, const flow::WholeRecord& record) {
      write(output, record, piece);
    };
  }
  void write(std::string_view output, const flow::WholeRecord& record, Piece& piece);
  void put(const OtelRecord& record, Piece& piece);

  std::string flow_;
  api::LogReadOptions options_;
  flow::LogRecords records_;
  std::array<Output, 2> outputs_;
  std::uint64_t words_ = 0;  // messages of our own
  std::uint64_t sent_ = 0;   // bytes
  bool over_ = false;        // the next record would not have fitted the limit
  bool loses_ = false;       // what is written now does not go on
};

}  // namespace flowtap
