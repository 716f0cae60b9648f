// A runtime divides a line that is too long, and a collector may write its parts as objects that say in a member whether more of the line
// follows. This joins them, so that the line is in one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/json/members.hpp"

namespace flowtap::cli {

class PartLines {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` the line, or holds it until the last part of its text has come.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take);

 private:
  /// The parts of a line that have come.
  struct Held {
    boost::json::object object;
    std::uint64_t time = 0;
    std::size_t parts = 1;
  };
  using Outputs = std::map<std::string, Held, std::less<>>;

  [[nodiscard]] bool add_part(std::string_view line, std::uint64_t time, const Take& take);
  void give(Outputs::iterator one, const Take& take);

  Outputs held_;  // by what tells whose output they are
};

}  // namespace flowtap::cli
