// A flow's log as OpenTelemetry's log records, one on each line of JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "component/views/flow_views.hpp"
#include "stream/lines/record_assembler.hpp"
#include "stream/reading/forms/form.hpp"
#include "stream/reading/forms/otel_record.hpp"

namespace flowtap {

/// Each line is a record, whatever parts it came in; of a scheduler's log all lines of a record of klog's. What is longer
/// than kLongestLine, or kLongestBody, goes on in a record of its own. So many bytes at most as whole records are.
class OtelForm final : public Form {
 public:
  static constexpr std::size_t kLongestBody = std::size_t{256} << 10U;
  static constexpr std::size_t kLongestLine = std::size_t{64}
                                              << 10U;  ///< of who is no scheduler: thousands may be followed
  /// A record of a scheduler's is one write. So long after its last line it is taken to be whole by whoever follows, though the
  /// next one has not begun; lines that come later are records of their own.
  static constexpr std::chrono::milliseconds kRecordIsWritten{200};

  OtelForm(std::string flow, const api::LogOptions& options, bool is_schedulers)
      : flow_(std::move(flow)), options_(options), is_schedulers_(is_schedulers) {}

  void take(const flow::CriLine& line, Piece& piece) override;
  void say(std::string_view text, Piece& piece) override;
  void jump(Piece& piece) override;
  [[nodiscard]] Clock::time_point rest(Piece& piece) override;
  void finish(Piece& piece) override;

 private:
  /// Of one output.
  struct Record {
    bool begun = false;
    std::uint64_t time = 0;
    std::string text;
    Clock::time_point until{};  ///< it is waited for more of it; not set while it is not
  };
  struct Output {
    std::string_view name;
    Record record;
    bool mid_line = false;
    bool headed = false;     ///< the last line was of a record with a header
    std::uint64_t time = 0;  ///< of the record that was written last
    std::unordered_map<std::size_t, std::uint64_t>
        known;  ///< how many of that time began with this line, by its hash
    flow::RecordAssembler lines;
    std::uint64_t end = 0;  ///< where its last line ended, of those that are read here
    bool short_part =
        false;  ///< that was a part which is no longer than it had to be, as at the end of a stream
  };

  [[nodiscard]] bool begins(Output& output, const flow::CriLine& line) const;
  void write(Output& output, Piece& piece);
  void write_all(Piece& piece);
  void put(const OtelRecord& record, Piece& piece);

  std::string flow_;
  api::LogOptions options_;
  bool is_schedulers_;
  std::array<Output, 2> outputs_{Output{.name = "stdout", .record = {}, .known = {}, .lines = {}},
                                 Output{.name = "stderr", .record = {}, .known = {}, .lines = {}}};
  std::uint64_t words_ = 0;  // of our own
  std::uint64_t sent_ = 0;   // bytes
  bool over_ = false;        // the next record would have been more than was asked for
};

}  // namespace flowtap
