// How a terminal, a page or a mail has broken lines that were too long for it, and how to undo it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// The parts of one line.
struct BrokenLine {
  std::vector<std::string> parts;
  std::string before = {};  ///< what a tool put before the first part, or its signs before each part
  bool whole = true;        ///< the last part ends what the first one has begun
};

/// A part behind the first one, without what was put before it.
[[nodiscard]] std::string_view own_text(const BrokenLine& line, std::string_view part);

class LineBreaks {
 public:
  /// Counts the places where the line is broken.
  void note(const BrokenLine& line);
  [[nodiscard]] std::size_t noted() const { return breaks_; }
  /// The line as it was, as far as its parts belong together; `used` becomes the number of these.
  [[nodiscard]] std::string joined(const BrokenLine& line, std::size_t& used) const;

 private:
  /// A terminal breaks lines where they reach its width. Whatever knows words breaks them at a blank, which is lost.
  [[nodiscard]] bool at_width() const;
  void count(std::size_t width);

  std::size_t width_ = 0;     // of the widest part behind which a line goes on
  std::size_t widest_ = 0;    // parts that are so wide
  std::size_t narrower_ = 0;  // by one: they may have lost a blank at their end
  std::size_t breaks_ = 0;
  bool by_words_ = false;        // a part shows it
  bool between_counts_ = false;  // the last break
};

}  // namespace flowtap::cli
