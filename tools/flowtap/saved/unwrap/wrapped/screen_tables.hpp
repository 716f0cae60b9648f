// Joins the lines of what `kubectl describe pod` and `kubectl get events` print, where a terminal has broken them. Their rows have no
// end of their own, as a record has, but a terminal breaks all lines at the same width and puts nothing between the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

class ScreenTables {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` the rows of a text as they were if its lines show a terminal's width, and all other lines as they are.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take) { give(take); }

 private:
  struct Line {
    std::string text;  // without the blanks behind it
    std::string given;
    bool full = true;
    std::uint64_t time = 0;
    bool begins = true;  // a row, or another line that does not go on with the one before
  };

  [[nodiscard]] bool begins_line(std::string_view line) const;
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] bool goes_on(std::size_t at, std::size_t width) const;
  [[nodiscard]] std::string joined(std::size_t at, std::size_t parts, std::size_t width) const;
  [[nodiscard]] std::size_t parts(std::size_t at, std::size_t width) const;
  void give(const Take& take);

  bool open_ = false;       // a text has begun
  bool in_events_ = false;  // and its rows
  std::vector<Line> lines_;
  std::size_t bytes_ = 0;
};

}  // namespace flowtap::cli
