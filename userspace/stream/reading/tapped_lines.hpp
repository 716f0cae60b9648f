// Makes lines of streams' bytes, for a client that wants to know when each was written.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "stream/journal/journal_reading.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/reading/forms/text_form.hpp"

namespace flowtap {

/// Lines are given when they are whole, and gaps are lines of their own, as for a follower of a flow's log.
class TappedLines {
 public:
  using Piece = Form::Piece;

  explicit TappedLines(bool timestamps) : text_({.follow = true, .timestamps = timestamps}) {}

  /// Takes bytes, or a gap in their place.
  void take(const flow::Piece& part, std::string_view output, std::string_view bytes, Piece& piece);
  /// Nothing will come any more.
  void finish(Piece& piece);

 private:
  struct Stream {
    flow::LineAssembler lines;
    std::string_view output;
    std::uint64_t time = 0;  // of its last bytes
  };

  void give(const Stream& stream, const flow::LineView& line, Piece& piece);

  TextForm text_;
  std::map<flow::StreamNo, Stream> streams_;
};

}  // namespace flowtap
