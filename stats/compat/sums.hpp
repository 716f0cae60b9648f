// Sums of counters that never fall, though the series that they are of end.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// A pod's joules are those of its containers, and an init container's series ends long before the pod: what it had stays in the
/// sum until none of the pod's containers is there. The system's joules are those of the units too, alike.
class Sums {
 public:
  /// To be called with each snapshot, in their order.
  void take(const Snapshot& snapshot, const Surroundings& around);

  /// What is in the sums of those series that the last snapshot did not have.
  [[nodiscard]] SumsByLabels ended() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Key = SumsByLabels::key_type;
  struct Sum {
    std::uint64_t ended =
        0;  // less what a part had under other labels: it may be below 0, together with the part it is not
    std::size_t parts = 0;
  };
  struct Part {
    SumsByLabels::key_type of;
    std::uint64_t last = 0;
    Clock::time_point seen;
    std::uint64_t round = 0;
  };

  void take_part(std::size_t row, const Series& series, Key of, Clock::time_point now);
  void leave(const Part& part);
  void end(const Part& part);

  std::map<Key, Sum> sums_;
  std::map<std::pair<std::size_t, std::vector<std::string>>, Part> parts_;  // by row and our labels
  std::uint64_t round_ = 0;
};

}  // namespace flowtap::stats::compat
