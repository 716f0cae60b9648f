#include "telemetry/energy/cpu_time.hpp"

#include <gtest/gtest.h>

namespace flowtap::telemetry {
namespace {

constexpr std::uint64_t kTick = 10'000'000;

TEST(CpuTime, IsBusyAndIdle) {
  // user nice system idle iowait irq softirq steal guest guest_nice
  const auto time =
      parse_cpu_time("cpu  1 20 300 4000 50000 600000 7000000 80000000 1 1\ncpu0 1 1 1 1 1 1 1\n");
  EXPECT_EQ(time, (CpuTime{.busy = 7600321 * kTick, .idle = 54000 * kTick}));
  // Very old kernels have no steal.
  EXPECT_EQ(parse_cpu_time("cpu 1 0 0 2 0 0 0"), (CpuTime{.busy = kTick, .idle = 2 * kTick}));
}

TEST(CpuTime, ElseAbsent) {
  for (const auto* bad : {"", "cpu 1 2 3 4 5 6", "cpu0 1 2 3 4 5 6 7", "cpu 1 2 3 -4 5 6 7",
                          "cpu 1 2 3 4 5 6 7x", "cpu 18446744073709551615 0 0 0 0 0 0"})
    EXPECT_FALSE(parse_cpu_time(bad)) << bad;
}

}  // namespace
}  // namespace flowtap::telemetry
