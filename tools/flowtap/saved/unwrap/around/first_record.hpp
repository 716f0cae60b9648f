// What stands before a file's first record, and before no other, is no prefix: it is what opens a text, as a page's tag or a forum's
// does, or what a person or a shell has said of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

class FirstRecord {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` the lines as they are, and the first record behind blanks if the next one has nothing before it: so wide was
  /// its line where a terminal has broken it.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take) { give(0, take); }

 private:
  struct Line {
    std::string text;
    bool full = true;
    std::uint64_t time = 0;
  };

  void give(std::size_t first_at, const Take& take);

  bool passed_ = false;     // whether the first record, too, was given
  std::size_t at_ = 0;      // where it begins in its line
  std::vector<Line> held_;  // its line, and those below it up to the next record
  std::size_t bytes_ = 0;
};

}  // namespace flowtap::cli
