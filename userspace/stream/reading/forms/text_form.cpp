#include "stream/reading/forms/text_form.hpp"

#include <algorithm>

#include "base/wall_clock.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {

bool is_asked_for(const api::LogReadOptions& options, const flow::CriLine& line) {
  if (options.since && line.time < ns_of(*options.since)) return false;
  if (options.outputs == api::Outputs::kBoth) return true;
  return (flow::output_index(line.output) == 1) == (options.outputs == api::Outputs::kStderr);
}

void TextForm::take(const flow::CriLine& line, Piece& piece) {
  if (line.missing) return take_gap(line, piece);
  if (!waiting_.empty() && line.output != part_of_) put_waiting(piece);
  if (options_.timestamps && !mid_line_) put(std::string(clock_.text(line.time)) + " ", piece);
  put(line.text, piece);
  if (line.full) put("\n", piece);
  mid_line_ = !line.full && !line.text.empty();
  if (mid_line_) part_of_ = line.output;
  if (line.full && !waiting_.empty()) put_waiting(piece);
}

void TextForm::take_gap(const flow::CriLine& gap, Piece& piece) {
  piece.missing_before += *gap.missing;
  const bool is_cut = mid_line_ && part_of_ == gap.output;
  if (!shows_gaps(options_)) {
    if (is_cut) end_line({}, piece);
    return;
  }
  if (mid_line_ && !is_cut) return wait(gap);
  end_line(kCutMark, piece);
  put_waiting(piece);
  put_gap(gap.time, gap.text, piece);
}

// The line may have no end, and there may be ever more gaps until it has one.
void TextForm::wait(const flow::CriLine& gap) {
  const flow::GapWords words = flow::gap_words(gap.text);
  const auto same = std::ranges::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Gap& other) {
    return other.cause == gap.cause && other.words.of_both == words.of_both &&
           other.words.of_scheduler == words.of_scheduler;
  });
  if (waiting_.size() < kMostWaiting || same == waiting_.rend()) {
    waiting_.push_back({gap.time, std::string(gap.text), *gap.missing, gap.cause, words});
    return;
  }
  same->bytes += *gap.missing;
  same->words.at_most = same->words.at_most || words.at_most;
  same->text = flow::gap_text(same->bytes, same->cause, same->words);
}

// Amid a line it stands as what its output says would: behind the part that is there.
void TextForm::put_gap(std::uint64_t time, std::string_view text, Piece& piece) {
  if (options_.timestamps && !mid_line_) put(std::string(clock_.text(time)) + " ", piece);
  put(std::string(text) + "\n", piece);
  mid_line_ = false;
}

void TextForm::put_waiting(Piece& piece) {
  for (const Gap& gap : waiting_) put_gap(gap.time, gap.text, piece);
  waiting_.clear();
  waiting_until_ = {};
}

TextForm::Clock::time_point TextForm::rest(Piece& piece) {
  if (waiting_.empty()) return Clock::time_point::max();
  const auto now = Clock::now();
  if (waiting_until_ == Clock::time_point()) waiting_until_ = now + kLineIsWritten;
  if (now < waiting_until_) return waiting_until_;
  put_waiting(piece);
  return Clock::time_point::max();
}

void TextForm::jump(Piece& piece) {
  end_line(kCutMark, piece);
  put_waiting(piece);
}

void TextForm::say(std::string_view text, Piece& piece) {
  put_waiting(piece);
  put("[flowtap: " + std::string(text) + "]\n", piece);
  mid_line_ = false;
}

void TextForm::end_line(std::string_view mark, Piece& piece) {
  if (!mid_line_) return;
  mid_line_ = false;
  if (shows_gaps(options_)) put(mark, piece);
  put("\n", piece);
}

void TextForm::put(std::string_view text, Piece& piece) {
  if (options_.limit_bytes) {
    text = text.substr(0, *options_.limit_bytes - sent_);
    piece.end = sent_ + text.size() == *options_.limit_bytes;
  }
  sent_ += text.size();
  piece.bytes += text;
}

}  // namespace flowtap
