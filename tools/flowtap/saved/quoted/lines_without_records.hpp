// The lines of files in which no record was found, until one is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowtap::cli {

/// Of an issue or a mail, in which somebody quotes a few records. Larger texts are not kept.
class LinesWithoutRecords {
 public:
  static constexpr std::size_t kMost = std::size_t{4} << 20U;  ///< bytes that are kept

  struct Line {
    std::size_t file;  ///< its number
    std::string output;
    std::string text;
    std::uint64_t time;
  };

  void add(std::size_t file, std::string_view output, std::string_view text, std::uint64_t time) {
    if (dropped_) return;
    bytes_ += sizeof(Line) + text.size();
    if (bytes_ > kMost) return drop();
    lines_.push_back({.file = file, .output = std::string(output), .text = std::string(text), .time = time});
  }
  /// A record was found.
  void drop() {
    dropped_ = true;
    lines_.clear();
  }
  /// All of them, in the order of the files; none if they were dropped. No more are kept.
  [[nodiscard]] std::vector<Line> take() {
    dropped_ = true;
    return std::exchange(lines_, {});
  }

 private:
  std::vector<Line> lines_;
  std::size_t bytes_ = 0;
  bool dropped_ = false;
};

}  // namespace flowtap::cli
