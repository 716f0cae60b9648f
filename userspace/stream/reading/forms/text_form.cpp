#include "stream/reading/forms/text_form.hpp"

#include "base/wall_clock.hpp"

namespace flowtap {

bool is_asked_for(const api::LogReadOptions& options, const flow::CriLine& line) {
  if (options.since && line.time < ns_of(*options.since)) return false;
  if (options.outputs == api::Outputs::kBoth) return true;
  return (line.output == "stderr") == (options.outputs == api::Outputs::kStderr);
}

void TextForm::take(const flow::CriLine& line, Piece& piece) {
  if (line.missing) return take_gap(line, piece);
  if (options_.timestamps && !mid_line_) put(std::string(clock_.text(line.time)) + " ", piece);
  put(line.text, piece);
  if (line.full) put("\n", piece);
  mid_line_ = !line.full && !line.text.empty();
  if (mid_line_) part_of_ = line.output;
}

void TextForm::take_gap(const flow::CriLine& gap, Piece& piece) {
  piece.missing_before += *gap.missing;
  const bool is_cut = mid_line_ && part_of_ == gap.output;
  if (!shows_gaps(options_)) {
    if (is_cut) end_line({}, piece);
    return;
  }
  end_line(is_cut ? kCutMark : std::string_view(), piece);
  if (options_.timestamps) put(std::string(clock_.text(gap.time)) + " ", piece);
  put(std::string(gap.text) + "\n", piece);
}

void TextForm::say(std::string_view text, Piece& piece) {
  end_line({}, piece);
  put("[flowtap: " + std::string(text) + "]\n", piece);
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
