#include "stream/reading/tapped_lines.hpp"

#include "base/wall_clock.hpp"
#include "stream/lines/cri_line.hpp"

namespace flowtap {

void TappedLines::take(const flow::Piece& part, std::string_view output, std::string_view bytes,
                       Piece& piece) {
  const auto [at, fresh] = streams_.try_emplace(part.stream);
  Stream& stream = at->second;
  if (fresh) {
    stream.output = output == "stderr" ? "stderr" : "stdout";
    stream.time = wall_ns();
    stream.lines.skip_to(part.offset);
  }
  if (!part.gap) {
    stream.time = part.time;
    stream.lines.add(bytes, part.time, [&](const flow::LineView& line) { give(stream, line, piece); });
    return;
  }
  stream.lines.finish([&](const flow::LineView& line) { give(stream, line, piece); });
  stream.lines.skip_to(part.offset + part.length);
  const std::string text = flow::gap_text(part.length);
  text_.take(
      {.time = stream.time, .output = stream.output, .full = true, .missing = part.length, .text = text},
      piece);
}

void TappedLines::finish(Piece& piece) {
  for (auto& known : streams_) {
    Stream& stream = known.second;
    stream.lines.finish([&](const flow::LineView& line) { give(stream, line, piece); });
  }
  text_.finish(piece);
}

void TappedLines::give(const Stream& stream, const flow::LineView& line, Piece& piece) {
  text_.take(
      {.time = line.time, .output = stream.output, .full = line.full, .missing = {}, .text = line.text},
      piece);
}

}  // namespace flowtap
