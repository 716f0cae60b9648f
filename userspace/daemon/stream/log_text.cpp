#include "daemon/stream/log_text.hpp"

#include <string>

#include "base/wall_clock.hpp"

namespace flowtap {

bool is_asked_for(const api::LogOptions& options, const flow::CriLine& line) {
  if (options.since && line.time < ns_of(*options.since)) return false;
  if (options.outputs == api::Outputs::kBoth) return true;
  return (line.output == "stderr") == (options.outputs == api::Outputs::kStderr);
}

void LogText::take(const flow::CriLine& line, Piece& piece) {
  if (line.missing) {
    piece.missing_before += *line.missing;
    if (!options_.follow) return;
  }
  bool& mid_line = line.output == "stderr" ? mid_line_err_ : mid_line_out_;
  if (line.missing && mid_line) put("\n", piece);
  if (options_.timestamps && (!mid_line || line.missing))
    put(std::string(clock_.text(line.time)) + " ", piece);
  put(line.text, piece);
  if (line.full) put("\n", piece);
  mid_line = !line.full;
}

void LogText::say(std::string_view text, Piece& piece) {
  put("[flowtap: " + std::string(text) + "]\n", piece);
}

void LogText::put(std::string_view text, Piece& piece) {
  if (options_.limit_bytes) {
    text = text.substr(0, *options_.limit_bytes - sent_);
    piece.end = sent_ + text.size() == *options_.limit_bytes;
  }
  sent_ += text.size();
  piece.bytes += text;
}

}  // namespace flowtap
