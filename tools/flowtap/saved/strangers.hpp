// Says what lines are that no scheduler's table knows, so that a person who named the wrong file is told which one it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {

/// Guesses what lines are that say nothing about a pod. If there are many lines, it looks at only some of them, and
/// only at the beginning of each.
class Strangers {
 public:
  Strangers();

  /// A record with a header of klog's whose message no scheduler's table knows.
  void add(const flow::KlogRecord& record);
  /// A line that belongs to no record.
  void add_line(std::string_view line);

  /// About how many of the records belong to a program that is not one of the schedulers that flowtap reads.
  [[nodiscard]] std::uint64_t others_records() const { return others_records_; }

  /// Printable text, in UTF-8.
  struct Guess {
    std::string what;  ///< completes "they look like ..."
    std::string hint;  ///< the next thing that this person can do
  };
  /// What most of the lines are. Lines of a known program count more than lines whose form alone is known. Nothing:
  /// nothing was added.
  [[nodiscard]] std::optional<Guess> guess() const;

 private:
  [[nodiscard]] bool is_looked_at();
  std::size_t count(unsigned form, std::string_view file, std::string_view text);

  std::vector<std::uint64_t> lines_;  // by row of strangers.def
  std::string first_;                 // the beginning of the first line that nothing is known about
  std::uint64_t others_records_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t next_ = 1;    // which of them is looked at next
  std::uint64_t weight_ = 1;  // how many the last one that was looked at stands for
};

}  // namespace flowtap::cli
