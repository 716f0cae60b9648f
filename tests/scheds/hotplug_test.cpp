// Many CPUs go and come one right after the other, as when SMT is turned off. The scheduler is started anew for each of
// them, and neither it nor the machine gets stuck. The machine has eight, like that of vmtest/run --topology numa-llc.
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX's

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "kernel/sched_ext.hpp"
#include "scheds/schedulers.hpp"
#include "tests/bpf/stage.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

class CpusInARow : public testing::TestWithParam<std::string_view> {
 protected:
  [[nodiscard]] static bool set_online(int cpu, bool online) {
    std::ofstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online");
    return static_cast<bool>(file << online << std::flush);
  }
  [[nodiscard]] static bool enabled() { return kernel::read_sched_ext("/sys").value().state == "enabled"; }
  const ScratchRoot root;
};

// Linux 6.18 hung when a CPU went away while its kernel thread was about to free what an earlier run knew about each
// task (kept_maps.hpp). The loader looks once a second, so there are some twenty starts meanwhile, each of which ends
// soon.
TEST_P(CpusInARow, TheMachineAndTheSchedulerGoOn) {
  if (refused_here()) return;
  const auto cpus = static_cast<int>(online_cpus().size());
  ASSERT_GE(cpus, 8) << "vmtest/run --topology numa-llc";
  Process process({.argv = {paths::flowtap_sched(), std::string(GetParam())},
                   .out = root.file("out"),
                   .err = root.file("err")});
  ASSERT_TRUE(eventually(enabled)) << root.read("err");
  const auto end = std::chrono::steady_clock::now() + 20s;
  int rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) {
    for (int cpu = cpus - 1; cpu > 0; --cpu) EXPECT_TRUE(set_online(cpu, false)) << cpu;
    for (int cpu = 1; cpu < cpus; ++cpu) EXPECT_TRUE(set_online(cpu, true)) << cpu;
  }
  std::printf("%d rounds\n", rounds);
  EXPECT_TRUE(eventually(enabled)) << root.read("err");
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0) << root.read("err");
  std::this_thread::sleep_for(1s);  // its storage is freed now, and the next one takes CPUs away
}

INSTANTIATE_TEST_SUITE_P(, CpusInARow, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
