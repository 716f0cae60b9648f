#include "saved_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "base/ascii.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "tools/flowtap/client.hpp"

namespace flowtap::cli {
namespace {

// Whether a text that has no newline may end within a name or a number.
bool may_end_in_word(const flow::KlogRecord& record, std::string_view text) {
  if (record.form != flow::KlogForm::kText || text.contains('\n') || text.empty()) return false;
  if (!is_alphanumeric(text.back()) && !std::string_view("-_/").contains(text.back())) return false;
  if (!record.structured) return true;
  flow::KlogPairs pairs(record);
  flow::KlogPair last;
  for (flow::KlogPair pair; pairs.next(pair);) last = pair;
  return last.kind == flow::KlogPair::Kind::kUnquoted && !last.key.empty() && !pairs.cut();
}

}  // namespace

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
  if (last_ && record.text.starts_with(last_->text)) last_.reset();  // the next piece has all of it
  if (record.klog) {
    state_.tell_before(*record.klog);
    if (cut && record.klog->form == flow::KlogForm::kText) return hold(record);
    note_latest(record);
    if (is_seen(record)) return;
  }
  tell(record);
}

bool SavedOutput::is_seen(const flow::WholeRecord& record) {
  const auto before = state_.seen.add(record, log_);
  if (before) log_ = *before;
  return before.has_value();
}

// A capture that ends within a record says less of it than the one that has all of it, which may come yet.
void SavedOutput::hold(const flow::WholeRecord& record) {
  tell_cut();
  last_ = Cut{.text = std::string(record.text),
              .stamp = std::string(record.klog->stamp),
              .time = record.time,
              .own_header = has_header_of(record)};
  state_.holding.push_back(this);
}

void SavedOutput::note_latest(const flow::WholeRecord& record) {
  constexpr std::size_t kMost = 32;
  constexpr std::size_t kMostText = 4096;
  if (latest_.size() == kMost) latest_.pop_front();
  latest_.emplace_back(record.text.substr(0, kMostText));
}

// Of another record: a capture may stand twice in its file, and break off the second time.
bool SavedOutput::has_header_of(const flow::WholeRecord& record) const {
  const std::string_view header = header_of(record);
  return std::ranges::any_of(latest_, [&](const std::string& one) {
    const std::string_view same = record.text.substr(0, one.size());
    return one.starts_with(header) && !one.starts_with(same);
  });
}

// The beginning of a name may be another's name.
void SavedOutput::tell_cut() {
  const auto cut = std::exchange(last_, std::nullopt);
  if (!cut) return;
  const flow::WholeRecord record = flow::whole_record(cut->text, cut->time);
  if (!cut->own_header && state_.seen.has_header_of(record)) return;
  if (may_end_in_word(*record.klog, record.text)) {
    const std::string marked = std::string(record.text).append(diagnosis::kCutOff);
    tell(flow::whole_record(marked, record.time));
  } else if (!is_seen(record)) {
    tell(record);
  }
}

// What has all of a record has its time, too.
void SavedState::tell_before(const flow::KlogRecord& next) {
  if (holding.empty() || next.form != flow::KlogForm::kText) return;
  const auto is_later = [&next](const SavedOutput* one) { return !one->is_held_at(next.stamp); };
  std::vector<SavedOutput*> due;
  std::ranges::copy_if(holding, std::back_inserter(due), is_later);
  std::erase_if(holding, is_later);
  for (SavedOutput* const one : due) one->tell_cut();
}

void SavedOutput::tell(const flow::WholeRecord& record) {
  diagnosis::SchedulerLog& log = state_.logs[log_];
  const std::uint64_t telling = log.counts().telling;
  log.read(record);
  if (record.klog && log.counts().telling == telling) state_.strangers.add(*record.klog);
}

}  // namespace flowtap::cli
