#include "telemetry/workloads/workload_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace flowtap::telemetry {
namespace {

WorkloadName unit(const std::string& name) {
  return {.kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = name};
}
Workload used(std::uint64_t run_ns, std::uint64_t cycles = 0) {
  return {
      .usage = {.run_ns = run_ns, .wait_ns = 0, .dispatches = 0, .cycles = cycles}, .tops = {}, .last = {}};
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
  board->post({{unit("a"), used(5 * kSecond)}, {WorkloadName{}, used(kSecond)}}, false);
  (void)attribution.add(0, cpu, energy.consumers());

  // a works for one of four seconds of CPU time, b begins and works for another, the host for the third; one is idle.
  cpu = {.busy = 3 * kSecond, .idle = kSecond};
  board->post(
      {{unit("a"), used(6 * kSecond)}, {unit("b"), used(kSecond)}, {WorkloadName{}, used(2 * kSecond)}},
      false);
  const auto shares = attribution.add(4'000'001, cpu, energy.consumers());
  const auto by_name = charged(energy, shares);
  EXPECT_EQ(by_name.size(), 2U) << "what nobody knows is the system's";
  EXPECT_EQ(by_name.at("a"), 1'000'000U);
  EXPECT_EQ(by_name.at("b"), 1'000'000U);
  EXPECT_EQ(attribution.idle() + attribution.system() + by_name.at("a") + by_name.at("b"), 4'000'001U);

  // b is gone: its energy has no series any more, and is not lost.
  board->post({{unit("a"), used(6 * kSecond)}}, false);
  const auto rest = charged(energy, attribution.add(1'000, cpu, energy.consumers()));
  EXPECT_EQ(rest.size(), 1U);
  EXPECT_EQ(attribution.idle() + attribution.system() + attribution.gone() + rest.at("a"),
            attribution.node());
}

constexpr std::uint64_t kSecond = 1'000'000'000;

// The collectors run side by side, and the workloads' may come last in the first cycle.
TEST(WorkloadEnergy, WhoIsOnTheFirstPostDidNotBeginThen) {
  const auto board = std::make_shared<UsageBoard>();
  WorkloadEnergy energy(board);
  EnergyAttribution attribution;
  EXPECT_TRUE(energy.ready()) << "there may be nobody who posts";
  (void)attribution.add(0, CpuTime{.busy = 0, .idle = 0}, energy.consumers());
  board->post({{unit("a"), used(5000 * kSecond)}}, false);
  const auto shares = attribution.add(1'000'000, CpuTime{.busy = kSecond, .idle = 0}, energy.consumers());
  EXPECT_TRUE(charged(energy, shares).empty());
  EXPECT_EQ(attribution.system(), 1'000'000U);
  board->post({{unit("a"), used(5001 * kSecond)}, {unit("b"), used(kSecond)}}, false);
  const auto by_name = charged(
      energy, attribution.add(1'000'000, CpuTime{.busy = 3 * kSecond, .idle = 0}, energy.consumers()));
  EXPECT_EQ(by_name.at("a"), 500'000U);
  EXPECT_EQ(by_name.at("b"), 500'000U) << "which did";
}

TEST(WorkloadEnergy, ThereIsNothingToDivideByUntilTheNextPost) {
  const auto board = std::make_shared<UsageBoard>();
  WorkloadEnergy energy(board);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    board->post({{unit("a"), used(i * kSecond)}}, false);
    EXPECT_TRUE(energy.ready());
    EXPECT_EQ(energy.consumers().size(), 1U);
    EXPECT_FALSE(energy.ready());
  }
}

// Two workloads run for the same time, one of them at three times the clock; then a CPU has no counter for an interval.
TEST(WorkloadEnergy, IsByCyclesWhereAllAreCounted) {
  const auto board = std::make_shared<UsageBoard>();
  WorkloadEnergy energy(board);
  EnergyAttribution attribution;
  std::uint64_t seconds = 0;
  const auto round = [&](std::uint64_t slow, std::uint64_t fast, bool counted) {
    board->post(
        {{unit("fast"), used(seconds * kSecond, fast)}, {unit("slow"), used(seconds * kSecond, slow)}},
        counted);
    const CpuTime cpu{.busy = 2 * seconds * kSecond, .idle = 0};
    ++seconds;
    return charged(energy, attribution.add(seconds > 1 ? 4'000'000 : 0, cpu, energy.consumers()));
  };
  (void)round(1'000, 3'000, true);
  auto by_name = round(2'000, 6'000, true);
  EXPECT_EQ(by_name.at("slow"), 1'000'000U);
  EXPECT_EQ(by_name.at("fast"), 3'000'000U);
  by_name = round(2'500, 7'000, false);
  EXPECT_EQ(by_name.at("slow"), 3'000'000U) << "by time";
  EXPECT_EQ(by_name.at("fast"), 5'000'000U);
  by_name = round(4'000, 9'000, true);
  EXPECT_EQ(by_name.at("slow"), 5'000'000U) << "the counters say nothing of this interval alone";
  EXPECT_EQ(by_name.at("fast"), 7'000'000U);
  by_name = round(5'000, 12'000, true);
  EXPECT_EQ(by_name.at("slow"), 6'000'000U);
  EXPECT_EQ(by_name.at("fast"), 10'000'000U);
}

// The ledger waits ten seconds for a name, and then has everything that was used at once.
TEST(WorkloadEnergy, WhatWasWithheldForItsNameTakesNothingFromOthers) {
  const auto board = std::make_shared<UsageBoard>();
  WorkloadEnergy energy(board);
  EnergyAttribution attribution;
  std::map<WorkloadName, Workload> workloads{{unit("steady"), used(0)}};
  board->post(workloads, false);
  (void)attribution.add(0, CpuTime{.busy = 0, .idle = 0}, energy.consumers());
  std::map<std::string, std::uint64_t> by_name;
  std::uint64_t steady = 0;
  for (std::uint64_t s = 1; s <= 20; ++s) {
    workloads[unit("steady")].usage.run_ns += kSecond / 2;
    if (s >= 10) workloads[unit("late")].usage.run_ns = s * kSecond;
    board->post(workloads, false);
    // There are two CPUs. The late workload uses one of them, the steady one a half, and the system a quarter.
    const CpuTime cpu{.busy = s * kSecond * 7 / 4, .idle = s * kSecond / 4};
    by_name = charged(energy, attribution.add(2'000'000, cpu, energy.consumers()));
    EXPECT_EQ(by_name.at("steady") - std::exchange(steady, by_name.at("steady")), 500'000U) << s;
  }
  // One second is worth one of its joules; the system has those of the first ten.
  EXPECT_EQ(by_name.at("late"), 10'000'000U + 1'250'000U);
}

}  // namespace
}  // namespace flowtap::telemetry
