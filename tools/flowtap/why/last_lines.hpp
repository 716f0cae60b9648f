// The last lines of a flow, as a quotation of it needs them: only the beginning of each, however long it is.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// How many are quoted, and the most of each, in bytes.
inline constexpr std::size_t kQuotedLines = 10;
inline constexpr std::size_t kMostQuoted = 400;

/// A line, or its beginning.
struct QuotedLine {
  std::string text;
  bool cut = false;
};

class LastLines {
 public:
  /// More of the log, cut anywhere.
  void take(std::string_view bytes);
  [[nodiscard]] std::vector<QuotedLine> lines() const;

 private:
  std::deque<QuotedLine> lines_;
  bool open_ = false;  // the last one goes on
};

/// Asks flowtapd for those of a flow. Empty: none are kept any more.
[[nodiscard]] std::vector<QuotedLine> ask_for_last_lines(const std::string& state_dir,
                                                         const std::string& flow);

}  // namespace flowtap::cli
