// RAPL counters for a machine that has none, so that flowtapd has energy to divide.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::bench {

/// Two packages with a core and a dram zone each, which together draw about 100 W for as long as this lives. The rest
/// of the machine's sysfs is seen below the root as before, except for class/powercap.
class PowercapTree {
 public:
  /// Takes the place of the root's sys; call this before flowtapd starts.
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
