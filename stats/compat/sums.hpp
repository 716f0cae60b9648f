// Sums of counters that never fall, even when some of their series end.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stats/compat/compat.hpp"

namespace flowtap::stats::compat {

/// A pod's joules are the sum over its containers. The series of an init container ends long before the pod; its joules
/// stay in the sum until none of the pod's containers is there. The same holds for the system's joules, which include
/// those of the units.
class Sums {
 public:
  /// Call it with each snapshot, in order.
  void take(const Snapshot& snapshot, const Surroundings& around);

  /// The part of the sums that came from series which the last snapshot did not have.
  [[nodiscard]] SumsByLabels ended() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Key = SumsByLabels::key_type;
  struct Sum {
    std::uint64_t ended =
        0;  // minus what a part had under other labels: this may be below 0, but not together with the part
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
  std::map<std::pair<std::size_t, std::vector<std::string>>, Part> parts_;  // by row and by our labels
  std::uint64_t round_ = 0;
};

}  // namespace flowtap::stats::compat
