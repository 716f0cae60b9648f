// A scheduler's log, read as whole records by whoever explains.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "explain/diagnosis/scheduler_log.hpp"
#include "stream/lines/record_assembler.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {

/// Gives the lines to a SchedulerLog, one for each output, and nothing to the piece.
class RecordForm final : public Form {
 public:
  /// A record is one write. So long after its last line it is taken to be whole, though the next one has not begun.
  static constexpr std::chrono::milliseconds kRecordIsWritten{200};

  /// It must outlive this.
  explicit RecordForm(diagnosis::DiagnosisStore& store)
      : outputs_{Output{"stdout", diagnosis::SchedulerLog(store)},
                 Output{"stderr", diagnosis::SchedulerLog(store)}} {}

  void take(const flow::CriLine& line, Piece& piece) override;
  /// What is said in between belongs to nobody's record.
  void say(std::string_view /*text*/, Piece& /*piece*/) override {}
  void jump(Piece& piece) override;
  [[nodiscard]] Clock::time_point rest(Piece& piece) override;
  void finish(Piece& piece) override;

  /// ns since 1970, of the newest line.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] diagnosis::LogCounts counts() const;

 private:
  struct Output {
    std::string_view name;
    diagnosis::SchedulerLog log;
    flow::RecordAssembler records = {};
    std::uint64_t end = 0;      ///< of its last line, of those that are read here
    bool mid_line = false;      ///< that was a part
    bool held = false;          ///< a record has begun that may go on
    Clock::time_point until{};  ///< it is waited for more of it; not set while it is not
  };

  void flush(Output& output);

  std::array<Output, 2> outputs_;
  std::uint64_t time_ = 0;
};

}  // namespace flowtap
