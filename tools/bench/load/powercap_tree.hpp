// A node's RAPL counters where the machine has none: what reads energy then has something to divide.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::bench {

/// Two packages with a core and a dram zone each, which draw some 100 W together as long as this lives. The machine's own sysfs
/// is seen below the root as before, but for class/powercap.
class PowercapTree {
 public:
  /// Instead of the root's sys; before flowtapd starts.
  [[nodiscard]] static Result<PowercapTree> make(const test::ScratchRoot& root);

 private:
  struct Zone {
    Fd energy;
    std::uint64_t uj_per_ms;
  };

  explicit PowercapTree(std::vector<Zone> zones);

  std::jthread counts_;
};

}  // namespace flowtap::bench
