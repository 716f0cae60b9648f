// Lines as JSON, an object on each line.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "component/views/flow_views.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {

/// {"time":"...","text":"..."}: a line of one output, in however many parts it came; the outputs do not mix. What is longer than
/// kLongest goes on in an object of its own. Further members say what is special:
///   "cut":true       bytes that are missing, or were passed over, have cut off the line's end
///   "partial":true   the line goes on in this output's next object, or the output ended in it
///   "missing_bytes"  a gap of this many bytes of "stream"; "cause" is one word, if it is known, and "text" says all of it.
///                    With "cause":"broke_off" nobody knows how many, and this member is absent
/// A message of flowtap's own has no time. A byte limit is kept to by whole objects.
class JsonForm final : public Form {
 public:
  static constexpr std::size_t kLongest = std::size_t{256} << 10U;

  explicit JsonForm(const api::LogReadOptions& options) : options_(options) {}

  void take(const flow::CriLine& line, Piece& piece) override;
  void say(std::string_view text, Piece& piece) override;
  void jump(Piece& piece) override;
  [[nodiscard]] Clock::time_point rest(Piece& /*piece*/) override { return Clock::time_point::max(); }
  void finish(Piece& piece) override;

 private:
  struct Output {
    std::string text;  // of a line whose end has not come
    std::uint64_t time = 0;
    bool is_open = false;
  };

  void flush(Output& output, std::string_view flag, Piece& piece);
  void put(std::string line, Piece& piece);

  api::LogReadOptions options_;
  std::array<Output, 2> outputs_;
  std::uint64_t sent_ = 0;  // bytes
  bool over_ = false;       // the next object would not have fitted the limit
  flow::CriTime clock_;
};

}  // namespace flowtap
