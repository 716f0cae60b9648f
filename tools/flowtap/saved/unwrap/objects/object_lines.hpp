// Joins the lines of klog's JSON that jq, or another program that sets JSON out for people, has divided, and those of an object that
// has a record in a string and in other lines says whose it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

class ObjectLines {
 public:
  using Take = std::function<void(std::string_view line, bool full, std::uint64_t time)>;

  /// Gives `take` each object that has a record as one line, and all other lines as they are.
  void add(std::string_view line, bool full, std::uint64_t time, const Take& take);
  /// No more lines come.
  void finish(const Take& take) { give_held(take); }

 private:
  struct Line {
    std::string text;
    bool full;
    std::uint64_t time;
  };

  void give_held(const Take& take);
  void hold(std::string_view line, std::string_view shown, bool full, std::uint64_t time);

  std::vector<Line> held_;  // of an object that has begun
  std::string joined_;      // the same in one line
  std::string clean_;
  std::size_t depth_ = 0;  // of brackets that are open
};

}  // namespace flowtap::cli
