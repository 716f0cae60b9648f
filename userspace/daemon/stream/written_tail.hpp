// What the main log's file ends with. After a kill, lines come out of the journal again of which nobody wrote down that they
// had been written: those that stand there are not written twice.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace flowtap {

/// Gets what is to be written, line by line, as long as it may have been written before.
class WrittenTail {
 public:
  /// Begins where a line does.
  explicit WrittenTail(std::string text) : text_(std::move(text)) {}

  /// How many bytes of the next line, with its newline, stand there already: all, the first of the last one, which was cut
  /// off, or none. From there on none do.
  [[nodiscard]] std::size_t known(std::string_view line);

 private:
  [[nodiscard]] bool find(std::string_view line);

  std::string text_;  // empty: nothing more is known
  std::size_t at_ = 0;
  bool begun_ = false;  // at_ is where the next line would be
};

}  // namespace flowtap
