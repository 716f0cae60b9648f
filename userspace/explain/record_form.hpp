// A scheduler's log as whole records, for the explain path.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "explain/diagnosis/scheduler_log.hpp"
#include "stream/lines/log_records.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {

/// Gives the records to a SchedulerLog, one for each output, and puts nothing into the piece.
class RecordForm final : public Form {
 public:
  /// The store must outlive this.
  explicit RecordForm(diagnosis::DiagnosisStore& store)
      : logs_{diagnosis::SchedulerLog(store), diagnosis::SchedulerLog(store)} {}

  void take(const flow::CriLine& line, Piece& piece) override;
  /// flowtap's own messages belong to no record.
  void say(std::string_view /*text*/, Piece& /*piece*/) override {}
  void jump(Piece& piece) override;
  [[nodiscard]] Clock::time_point rest(Piece& piece) override;
  void finish(Piece& piece) override;

  /// The time of the newest line, in ns since 1970.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] diagnosis::LogCounts counts() const;

 private:
  void read(std::string_view output, const flow::WholeRecord& record) {
    logs_.at(flow::output_index(output)).read(record);
  }
  [[nodiscard]] auto reads() {
    return [this](std::string_view output, const flow::WholeRecord& record) { read(output, record); };
  }

  flow::LogRecords records_;
  std::array<diagnosis::SchedulerLog, 2> logs_;  // stdout's and stderr's
  std::uint64_t time_ = 0;
};

}  // namespace flowtap
