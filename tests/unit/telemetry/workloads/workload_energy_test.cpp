#include "telemetry/workloads/workload_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace flowtap::telemetry {
namespace {

WorkloadName unit(const std::string& name) {
  return {.kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = name};
}
Workload used(std::uint64_t run_ns) {
  return {.usage = {.run_ns = run_ns, .wait_ns = 0, .dispatches = 0}, .tops = {}, .last = {}};
}

// What was charged, in microjoules by the last label.
std::map<std::string, std::uint64_t> charged(WorkloadEnergy& energy, const std::vector<ConsumerEnergy>& all) {
  Collected out;
  energy.charged(all, out);
  std::map<std::string, std::uint64_t> by_name;
  for (const stats::Series& series : out.series)
    by_name[series.labels.back()] =
        static_cast<std::uint64_t>(std::llround(std::get<double>(series.value) * 1e6));
  return by_name;
}

TEST(WorkloadEnergy, EachHasItsPartAndTheySumToTheNodes) {
  const auto board = std::make_shared<UsageBoard>();
  WorkloadEnergy energy(board);
  EnergyAttribution attribution;
  constexpr std::uint64_t kSecond = 1'000'000'000;
  CpuTime cpu{.busy = 0, .idle = 0};
  board->post({{unit("a"), used(5 * kSecond)}, {WorkloadName{}, used(kSecond)}});
  (void)attribution.add(0, cpu, energy.consumers());

  // a works for one of four seconds of CPU time, b begins and works for another, the host for the third; one is idle.
  cpu = {.busy = 3 * kSecond, .idle = kSecond};
  board->post(
      {{unit("a"), used(6 * kSecond)}, {unit("b"), used(kSecond)}, {WorkloadName{}, used(2 * kSecond)}});
  const auto shares = attribution.add(4'000'001, cpu, energy.consumers());
  const auto by_name = charged(energy, shares);
  EXPECT_EQ(by_name.size(), 2U) << "what nobody knows is the system's";
  EXPECT_EQ(by_name.at("a"), 1'000'000U);
  EXPECT_EQ(by_name.at("b"), 1'000'000U);
  EXPECT_EQ(attribution.idle() + attribution.system() + by_name.at("a") + by_name.at("b"), 4'000'001U);

  // b is gone: its energy is no series any more, and not lost.
  board->post({{unit("a"), used(6 * kSecond)}});
  const auto rest = charged(energy, attribution.add(1'000, cpu, energy.consumers()));
  EXPECT_EQ(rest.size(), 1U);
  EXPECT_EQ(attribution.idle() + attribution.system() + attribution.gone() + rest.at("a"),
            attribution.node());
}

}  // namespace
}  // namespace flowtap::telemetry
