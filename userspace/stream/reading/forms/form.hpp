// What a client gets of a log's lines: their text, or records made of them.
#pragma once

#include <chrono>
#include <string_view>

#include "component/views/flow_views.hpp"
#include "stream/lines/cri_line.hpp"

namespace flowtap {

using api::shows_gaps;
/// Whether the line is of the outputs and times that the client wants.
[[nodiscard]] bool is_asked_for(const api::LogReadOptions& options, const flow::CriLine& line);

/// Gets the lines that were asked for, in order. It puts what the client gets of them into the piece, and says there when the
/// client wants no more. Used by one thread.
class Form {
 public:
  using Piece = api::BodyReader::Piece;
  using Clock = std::chrono::steady_clock;

  Form() = default;
  Form(const Form&) = delete;
  Form& operator=(const Form&) = delete;
  virtual ~Form() = default;

  /// Adds the line to the piece, or the bytes of a gap to those that are missing there.
  virtual void take(const flow::CriLine& line, Piece& piece) = 0;
  /// Adds a message of flowtap's own.
  virtual void say(std::string_view text, Piece& piece) = 0;
  /// The next line does not go on with the one before.
  virtual void jump(Piece& piece) = 0;
  /// There is no more now. Returns when to ask again even if no line has come; max: not before one has.
  [[nodiscard]] virtual Clock::time_point rest(Piece& piece) = 0;
  /// Nothing will come any more.
  virtual void finish(Piece& piece) = 0;
};

}  // namespace flowtap
