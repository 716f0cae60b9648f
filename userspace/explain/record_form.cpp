#include "explain/record_form.hpp"

#include <algorithm>

namespace flowtap {

void RecordForm::take(const flow::CriLine& line, Piece& /*piece*/) {
  Output& output = outputs_.at(line.output == outputs_[1].name ? 1 : 0);
  time_ = std::max(time_, line.time);
  if (line.missing) {
    flush(output);
    ++output.end;  // the next line does not go on with the last one
    output.mid_line = false;
    return;
  }
  const std::uint64_t end = output.end + line.text.size() + (line.full ? 1 : 0);
  output.log.add(output.records.add({line.text, line.full, output.end, end, line.time}));
  output.end = end;
  output.mid_line = !line.full;
  output.held = true;
  output.until = {};
}

void RecordForm::flush(Output& output) {
  if (!output.held) return;
  output.log.flush();
  output.held = false;
  output.until = {};
}

void RecordForm::jump(Piece& piece) {
  finish(piece);
  for (Output& output : outputs_) {
    ++output.end;
    output.mid_line = false;
  }
}

RecordForm::Clock::time_point RecordForm::rest(Piece& /*piece*/) {
  auto next = Clock::time_point::max();
  const auto now = Clock::now();
  for (Output& output : outputs_) {
    if (!output.held || output.mid_line) continue;
    if (output.until == Clock::time_point()) output.until = now + kRecordIsWritten;
    if (output.until <= now)
      flush(output);
    else
      next = std::min(next, output.until);
  }
  return next;
}

void RecordForm::finish(Piece& /*piece*/) {
  for (Output& output : outputs_) flush(output);
}

diagnosis::LogCounts RecordForm::counts() const {
  diagnosis::LogCounts sum;
  for (const Output& output : outputs_) sum += output.log.counts();
  return sum;
}

}  // namespace flowtap
