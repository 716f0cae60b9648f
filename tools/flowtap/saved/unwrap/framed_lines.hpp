// Takes lines out of what a tool has put around each or all of them, where a prefix does not tell it: messages of syslog that begin
// with their length, newlines that syslog has encoded, a sign behind each line, and columns that stand below each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wrapped/lost_newlines.hpp"

namespace flowtap::cli {

class FramedLines {
 public:
  using Take = TakeLine;

  /// Gives `take` the lines that are in the line: none, if it is only of the form.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take) { give_held({}, take); }

 private:
  /// The line before, if a sign may stand behind it.
  struct Held {
    std::string text;
    std::size_t text_at = 0;  // where its record begins
    std::size_t sign_at = 0;
    std::uint64_t time = 0;
  };

  void add_message(std::string_view line, bool full, std::uint64_t time, const Take& take);
  void add_row(std::string_view line, bool full, std::uint64_t time, const Take& take);
  void give_held(std::string_view next, const Take& take);
  void add_text(std::string_view line, bool full, std::uint64_t time, const Take& take);

  std::size_t left_ = 0;  // bytes of a message that has begun
  bool in_rows_ = false;  // the last heading was of a row whose columns stand below each other
  std::optional<Held> held_;
  std::string sign_;  // stands behind each line
  std::string tabbed_;
};

}  // namespace flowtap::cli
