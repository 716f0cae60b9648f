// What processes are said to do, by samples that come when the driver likes.
#include "telemetry/devices/nvml/nvml_samples.hpp"

#include <gtest/gtest.h>

#include "tests/unit/telemetry/devices/nvml_rounds.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSecond = 1'000'000;

// One GPU with a process of c1 and one of c2, after the first look.
struct Node {
  Node() {
    add_gpu(nvml);
    nvml.set("0.compute.0", "101 1").set("0.compute.1", "201 1").set("0.samples", "");
    (void)rounds.next();
  }

  // `us` after now.
  void sample(int pid, std::uint64_t us, const std::string& percents) {
    const int slot = pid / 100;
    nvml.sample(slot - 1, pid, Rounds::wall() + us, percents);
  }
  // Prints nothing for a value that is absent.
  std::optional<double> work(const Series& all, const std::string& container,
                             const std::string& what = "utilization") {
    const auto at = all.find("workload_device_" + what + "_ratio" + on_gpu(container));
    return at == all.end() ? std::nullopt : std::optional(at->second);
  }

  FakeNvml nvml;
  Rounds rounds = nvml_rounds();
};

TEST(ProcessSamples, AreTheMeanOfThoseSinceTheLastLook) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.compute.0", "101 1000").set("0.compute.1", "102 500").set("0.compute.2", "201 70");
  nvml.sample(0, 101, Rounds::wall() + 10, "99 99 99 99");
  Rounds rounds = nvml_rounds();
  EXPECT_TRUE(only(rounds.next(), "workload_device_utilization").empty()) << "of before the first look";
  const std::uint64_t now = Rounds::wall();
  nvml.sample(1, 101, now + 20, "30 10 4 2").sample(2, 101, now + 30, "50 20 0 0");
  nvml.sample(3, 201, now + 25, "15 1 0 0").sample(4, 102, now + 25, "4294967295 101 300 300");
  const Series all = rounds.next();
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + on_gpu("c1")), 0.4);
  EXPECT_DOUBLE_EQ(all.at("workload_device_memory_utilization_ratio" + on_gpu("c1")), 0.15);
  EXPECT_DOUBLE_EQ(all.at("workload_device_encoder_utilization_ratio" + on_gpu("c1")), 0.02);
  EXPECT_DOUBLE_EQ(all.at("workload_device_decoder_utilization_ratio" + on_gpu("c1")), 0.01);
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + on_gpu("c2")), 0.15);
  EXPECT_EQ(rounds.unread, 0U);
}

// c1 has a sample in even seconds, c2 in odd ones.
TEST(ProcessSamples, OfTwoThatComeInTurnsNeitherFallsToNothing) {
  Node node;
  node.nvml.set("0.utilization", "90 0").set("0.energy", "0");
  node.sample(101, kSecond / 2, "60 0 0 0");
  (void)node.rounds.next();
  node.sample(201, kSecond / 2, "30 0 0 0");
  (void)node.rounds.next();
  for (int i = 0; i < 10; ++i) {
    if (i % 2 == 0)
      node.sample(101, kSecond / 2, "60 0 0 0");
    else
      node.sample(201, kSecond / 2, "30 0 0 0");
    node.nvml.set("0.energy", std::to_string(1000 * (i + 1)));
    const Series all = node.rounds.next();
    ASSERT_EQ(node.work(all, "c1"), 0.6) << i;
    ASSERT_EQ(node.work(all, "c2"), 0.3) << i;
    ASSERT_NEAR(all.at("device_unattributed_joules_total{" + kGpu + "}"), 0, 1e-6) << i;
  }
}

TEST(ProcessSamples, OneThatIsOlderThanAnothersIsTaken) {
  Node node;
  node.sample(101, kSecond, "60 0 0 0");
  EXPECT_FALSE(node.work(node.rounds.next(), "c2"));
  // This sample was taken a second before the one that c1 already had at the last look.
  node.nvml.sample(1, 201, Rounds::wall() - kSecond, "30 0 0 0");
  EXPECT_EQ(node.work(node.rounds.next(), "c2"), 0.3);
}

TEST(ProcessSamples, AProcessThatStopsFallsToNothingAfterAWhile) {
  Node node;
  node.nvml.set("0.utilization", "70 0");
  node.sample(101, kSecond / 2, "60 10 4 2");
  (void)node.rounds.next();
  for (int i = 0; i < 3; ++i) {
    node.sample(201, kSecond / 2, "10 0 0 0");
    const Series all = node.rounds.next();
    EXPECT_EQ(node.work(all, "c1"), 0.6) << "what it last did, " << i;
    EXPECT_EQ(node.work(all, "c1", "encoder_utilization"), 0.04);
  }
  node.sample(201, kSecond / 2, "10 0 0 0");
  const Series all = node.rounds.next();
  EXPECT_EQ(node.work(all, "c1"), 0) << "the driver has told of others all the while";
  EXPECT_EQ(node.work(all, "c1", "encoder_utilization"), 0);
  EXPECT_EQ(node.work(all, "c2"), 0.1);
  node.sample(101, kSecond / 2, "20 0 0 0");
  EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0.2);
}

TEST(ProcessSamples, OneThatHasNeverDoneAnythingIsIdleOnceTheDriverHasSaidSoLongEnough) {
  Node node;
  node.nvml.set("0.utilization", "0 0");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(node.work(node.rounds.next(), "c1")) << i;
  EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0);
  // A process has samples at times even on a GPU that does little.
  node.nvml.set("0.utilization", "3 0");
  EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0);
  node.nvml.set("0.utilization", "0 0");
  EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0);
  EXPECT_EQ(node.work(node.rounds.next(60s), "c1"), 0) << "a long cycle";
}

TEST(ProcessSamples, NobodyIsIdleOnADeviceThatWorksForNobodyKnown) {
  Node node;
  node.nvml.set("0.utilization", "80 0");
  node.sample(101, kSecond / 2, "60 0 0 0");
  (void)node.rounds.next();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0.6);
  for (int i = 0; i < 3; ++i) {
    const Series all = node.rounds.next();
    EXPECT_FALSE(node.work(all, "c1"));
    EXPECT_FALSE(node.work(all, "c2"));
    EXPECT_EQ(all.at("workload_device_processes" + on_gpu("c1")), 1);
  }
}

TEST(ProcessSamples, ADriverThatDoesNotAnswerSaysNothingOfAnybody) {
  Node node;
  node.sample(101, kSecond / 2, "60 0 0 0");
  (void)node.rounds.next();
  node.nvml.set("0.ret.nvmlDeviceGetProcessUtilization", "999");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0.6);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(node.work(node.rounds.next(), "c1"));
    EXPECT_EQ(node.rounds.unread, 1U);
  }
  node.nvml.unset("0.ret.nvmlDeviceGetProcessUtilization");
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(node.work(node.rounds.next(), "c1")) << "nor at once, " << i;
  EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0);
}

TEST(ProcessSamples, AClockThatIsSetBackOrAheadChangesNothing) {
  for (const auto step : {-3600s, -30s, 3600s, 30s}) {
    SCOPED_TRACE(step.count());
    Node node;
    const auto check = [&](int i) {
      node.sample(101, kSecond / 2, "60 0 0 0");
      node.sample(201, kSecond / 4, "30 0 0 0");
      const Series all = node.rounds.next();
      EXPECT_EQ(node.work(all, "c1"), 0.6) << i;
      EXPECT_EQ(node.work(all, "c2"), 0.3) << i;
    };
    for (int i = 0; i < 3; ++i) check(i);
    Rounds::step(step);
    for (int i = 3; i < 10; ++i) check(i);
    EXPECT_EQ(node.rounds.unread, 0U);
    Rounds::step(-step);
  }
}

// The driver still has the sample from before the step, and would keep it for an hour.
TEST(ProcessSamples, OneThatIsStampedAheadDoesNotMakeAProcessIdle) {
  Node node;
  node.sample(101, kSecond / 2, "60 0 0 0");
  node.sample(201, kSecond / 2, "30 0 0 0");
  (void)node.rounds.next();
  Rounds::step(-3600s);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0.6);
  EXPECT_EQ(node.rounds.unread, 0U);
  EXPECT_FALSE(node.work(node.rounds.next(), "c1"));
  EXPECT_EQ(node.rounds.unread, 2U) << "of two processes nothing can be told";
  node.sample(101, kSecond / 2, "20 0 0 0");
  EXPECT_EQ(node.work(node.rounds.next(), "c1"), 0.2);
  Rounds::step(3600s);
}

TEST(ProcessSamples, AStampOfTheFutureIsForgottenWithTheNextSample) {
  Node node;
  node.sample(101, 1'000'000 * kSecond, "60 0 0 0");
  (void)node.rounds.next();
  for (const char* percents : {"20 0 0 0", "40 0 0 0"}) {
    node.sample(101, kSecond / 2, percents);
    node.sample(201, kSecond / 2, percents);
    const Series all = node.rounds.next();
    EXPECT_EQ(node.work(all, "c1"), node.work(all, "c2"));
    EXPECT_TRUE(node.work(all, "c1"));
  }
}

TEST(ProcessSamples, OfAProcessThatHasEndedAreCountedOnceUnderTheNameThatItHad) {
  FakeNvml nvml;
  add_gpu(nvml);
  nvml.set("0.samples", "").set("0.compute.0", "101 1000");
  nvml.sample(0, 101, Rounds::wall() + 10, "1 1 1 1");
  Rounds rounds = nvml_rounds();
  (void)rounds.next();
  rounds.ended = {101, 201};
  nvml.unset("0.compute.0");
  nvml.sample(1, 101, Rounds::wall() + 20, "30 0 0 0").sample(2, 201, Rounds::wall() + 20, "20 0 0 0");
  const Series all = rounds.next();
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + on_gpu("c1")), 0.3);
  const std::string unknown = "{" + kGpu + ",instance=,kind=unknown,namespace=,pod=,container=,workload=}";
  EXPECT_DOUBLE_EQ(all.at("workload_device_utilization_ratio" + unknown), 0.2) << "nobody ever knew it";
  // The driver keeps these samples for some time.
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(only(rounds.next(), "workload_device_utilization").empty()) << i;
  nvml.sample(3, 101, Rounds::wall() + 30, "30 0 0 0");
  EXPECT_DOUBLE_EQ(rounds.next(40s).at("workload_device_utilization_ratio" + unknown), 0.3);
}

}  // namespace
}  // namespace flowtap::test
