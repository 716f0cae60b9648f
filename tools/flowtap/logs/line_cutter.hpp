// Cuts text that comes in pieces into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// The most that one log has in memory.
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

class LineCutter {
 public:
  /// How many bytes of a line that is too long the next part has: 1 or more.
  using Divide = std::size_t (*)(std::string_view line);

  /// A line without a newline is given in parts of this many bytes, as it may never end, or up to where `divide` says.
  explicit LineCutter(std::size_t most = kLongestLine, Divide divide = nullptr)
      : most_(most), divide_(divide) {}

  /// Gives `take` each line without its newline.
  template <typename Take>
  void take(std::string_view piece, Take&& give) {
    std::size_t from = rest_.size();  // what was there has no newline
    rest_ += piece;
    std::size_t begin = 0;
    for (std::size_t newline = 0; (newline = rest_.find('\n', from)) != std::string::npos;
         begin = from = newline + 1)
      give(std::string_view(rest_).substr(begin, newline - begin));
    rest_.erase(0, begin);
    while (rest_.size() >= most_) {
      const std::size_t part = divide_ == nullptr ? rest_.size() : divide_(rest_);
      give(std::string_view(rest_).substr(0, part));
      rest_.erase(0, part);
    }
  }

  /// The last line, if its newline has not come.
  template <typename Take>
  void finish(Take&& give) {
    if (rest_.empty()) return;
    give(std::string_view(rest_));
    rest_.clear();
  }

 private:
  std::size_t most_;
  Divide divide_;
  std::string rest_;
};

}  // namespace flowtap::cli
