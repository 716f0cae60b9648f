// A runtime divides a line that is too long, and a collector may write its parts as objects that say in a member whether more of the line
// follows. This joins them, so that the line is in one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/members.hpp"

namespace flowtap::cli {

/// It joins what is surely one line: all that its objects say is the same, but for their texts and times, and the parts stand in their
/// order. In a file that has its newest line first they do not.
class PartLines {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` the line, or holds it until the last part of its text has come. The lines behind it wait so long.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take);

 private:
  /// A line that waits, or the parts of one that have come.
  struct Held {
    std::string line;  // as it was, if it has one part
    bool full = true;
    std::uint64_t time = 0;
    boost::json::object object = {};
    std::size_t parts = 1;
    bool open = false;  // more parts come
  };
  /// A line whose other parts may come.
  struct Open {
    Held* held = nullptr;
    std::size_t mark = 0;             // by which it is open
    std::optional<double> time = {};  // of its last part, in s since 1970
  };
  using Outputs = std::map<std::string, Open, std::less<>>;

  [[nodiscard]] bool add_part(std::string_view line, bool full, std::uint64_t time);
  [[nodiscard]] bool begins(const boost::json::object& object, std::string_view text,
                            const std::string& output) const;
  void remember(std::string_view line);
  void close(Outputs::iterator one);
  void give(const Take& take);

  Outputs open_;                    // by all that tells whose output it is
  std::deque<Held> held_;           // the first one is open
  std::deque<std::string> before_;  // the last objects that were joined to none
};

}  // namespace flowtap::cli
