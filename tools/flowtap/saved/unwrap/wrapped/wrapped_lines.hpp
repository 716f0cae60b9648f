// Joins the lines of a scheduler's record, or of an event, that a terminal, a page or a mail has broken because they were too long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "line_breaks.hpp"
#include "unfinished.hpp"

namespace flowtap::cli {

class WrappedLines {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` each record as one line if its parts close it, and all other lines as they are.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take);

 private:
  struct Group {
    BrokenLine line;
    bool full = true;  // of the last part
    std::uint64_t time = 0;
  };

  [[nodiscard]] bool goes_on(std::string_view line);
  void close(const Take& take);
  void pass(Group group, const Take& take);
  void give_waiting(const Take& take);
  void give(const Group& group, const Take& take) const;

  bool open_ = false;  // group_ has a line that may go on
  Group group_;
  std::optional<std::optional<Ending>> begun_;  // what its first part begins; nothing: nobody has asked yet
  std::size_t group_bytes_ = 0;
  // The way in which lines are broken shows after some of them.
  std::deque<Group> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool decided_ = false;
  LineBreaks breaks_;
};

}  // namespace flowtap::cli
