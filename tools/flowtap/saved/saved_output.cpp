#include "saved_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tools/flowtap/client.hpp"

namespace flowtap::cli {

SavedOutput::SavedOutput(SavedState& state, std::string_view name) : state_(state), name_(name) {
  // Files with more logs have few records of each.
  constexpr std::size_t kMostLogs = std::numeric_limits<std::uint16_t>::max();
  if (state.logs.size() < kMostLogs) state.logs.emplace_back(*state.store);
  own_ = log_ = static_cast<std::uint16_t>(state.logs.size() - 1);
}

void SavedOutput::begin_piece(const std::string& file, const PieceSpan& piece) {
  files_ += (files_.empty() ? "" : ", ") + file;
  const auto* const scheduler = piece.scheduler != nullptr ? piece.scheduler : end_.scheduler;
  end_ = piece;
  end_.scheduler = scheduler;
  begins_ = true;
}

void SavedOutput::add(const SavedLine& line) {
  if (std::exchange(begins_, false)) {
    // A piece may begin in the middle of a line, unless a record begins there. If the piece before it ends with a whole line, such
    // a rest belongs to no record that is here, unless it is the next line of a value of several lines.
    const bool is_rest = line.kind == SavedLine::Kind::kLoose;
    if (is_rest && lines_.unfinished() == 0 && !begins_like_a_block(line.text)) return;
    if (!is_rest) {
      finish_line();
      records_.lose(reads());
    }
  }
  const auto take = [this](const flow::LineView& whole) { records_.add(whole, reads()); };
  lines_.add(line.text, line.time, take);
  if (line.full) lines_.add("\n", line.time, take);
}

void SavedOutput::lose() {
  lines_ = {};
  records_.lose(reads());
}

void SavedOutput::finish() {
  finish_line();
  records_.flush(reads());
  if (own_ != log_) return;
  if (const std::uint64_t cut = state_.logs[own_].counts().cut; cut > 0)
    complain({fmt::format("{} of the records of {} are longer than {} bytes, and are read up to there", cut,
                          files_, flow::RecordRules().most),
              {},
              0});
}

void SavedOutput::finish_line() {
  const bool cut = lines_.unfinished() > 0;
  lines_.finish([this](const flow::LineView& line) { records_.add(line, reads()); });
  cut_ = cut;  // the record before that line has been read by now
}

void SavedOutput::read(const flow::WholeRecord& record) {
  const bool cut = std::exchange(cut_, false);
  if (record.klog) {
    // A capture that ends within a record says less of it than the one that has all of it.
    if (cut && state_.seen.has_header_of(record)) return;
    if (const auto before = state_.seen.add(record, log_)) {
      log_ = *before;
      return;
    }
  }
  diagnosis::SchedulerLog& log = state_.logs[log_];
  const std::uint64_t telling = log.counts().telling;
  log.read(record);
  if (record.klog && log.counts().telling == telling) state_.strangers.add(*record.klog);
}

}  // namespace flowtap::cli
