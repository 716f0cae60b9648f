#include "stream/reading/forms/text_form.hpp"

#include <string>

#include "base/wall_clock.hpp"
#include "stream/lines/line_assembler.hpp"

namespace flowtap {

bool is_asked_for(const api::LogReadOptions& options, const flow::CriLine& line) {
  if (options.since && line.time < ns_of(*options.since)) return false;
  if (options.outputs == api::Outputs::kBoth) return true;
  return (line.output == "stderr") == (options.outputs == api::Outputs::kStderr);
}

void TextForm::take(const flow::CriLine& line, Piece& piece) {
  if (line.missing) {
    piece.missing_before += *line.missing;
    if (!options_.follow) return;
  }
  const bool is_err = line.output == "stderr";
  Last& own = is_err ? err_ : out_;
  Last& other = is_err ? out_ : err_;
  // If an output's last line has no newline, it still becomes a line of its own, as it does where a runtime has made it one.
  if ((line.missing && own.mid_line) || other.is_end) put("\n", piece);
  if (other.is_end) other = {};
  if (options_.timestamps && (!own.mid_line || line.missing))
    put(std::string(clock_.text(line.time)) + " ", piece);
  put(line.text, piece);
  if (line.full) put("\n", piece);
  own = {.mid_line = !line.full, .is_end = !line.full && line.text.size() < flow::kMaxLine};
}

void TextForm::say(std::string_view text, Piece& piece) {
  put("[flowtap: " + std::string(text) + "]\n", piece);
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
