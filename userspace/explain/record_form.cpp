#include "explain/record_form.hpp"

#include <algorithm>

namespace flowtap {

void RecordForm::take(const flow::CriLine& line, Piece& /*piece*/) {
  time_ = std::max(time_, line.time);
  records_.add(line, reads());
}

void RecordForm::jump(Piece& /*piece*/) {
  records_.jump(reads());
}

RecordForm::Clock::time_point RecordForm::rest(Piece& /*piece*/) {
  return records_.rest(reads());
}

void RecordForm::finish(Piece& /*piece*/) {
  records_.finish(reads());
}

diagnosis::LogCounts RecordForm::counts() const {
  diagnosis::LogCounts sum;
  for (const diagnosis::SchedulerLog& log : logs_) sum += log.counts();
  return sum;
}

}  // namespace flowtap
