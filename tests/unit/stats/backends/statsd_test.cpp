#include "stats/backends/statsd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/metrics/snapshots.hpp"
#include "tests/support/net/packets.hpp"

namespace flowtap::stats {
namespace {

using test::ScriptedPackets;
using test::SnapshotScript;
using test::Wire;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Statsd make(Wire& wire, StatsdOptions options = {}) {
  return {std::move(options), std::make_unique<ScriptedPackets>(wire)};
}

TEST(Statsd, PlainLinesCarryLabelsInTheName) {
  Wire wire;
  Statsd backend = make(wire, {"node7.", false, 100});
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 12);
  script.set(StatId::kPROCESS_CPU, {}, 1.25);
  script.set(StatId::kPROCESS_THREADS, {}, std::uint64_t{9});
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(),
              ElementsAre("node7.dispatched_tasks_total.kernel.wsync:12|c",
                          "node7.process_cpu_seconds_total:1.25|c", "node7.process_threads:9|g"));
}

TEST(Statsd, DogStatsdLinesCarryTags) {
  Wire wire;
  Statsd backend = make(wire, {"", true, 100});
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 12);
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), ElementsAre("dispatched_tasks_total:12|c|#scheduler:kernel,type:wsync"));
}

TEST(Statsd, HistogramsAreCountersByEdge) {
  HistogramValue value;
  value.counts[1] = 3;
  value.sum = 0.000006;
  SnapshotScript script;
  script.set(StatId::kLATENCY, {"kernel"}, value);
  Wire plain;
  Statsd backend = make(plain);
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(plain.lines(), Contains("flowtap_run_queue_latency_seconds_bucket.kernel.le_0_000002048:3|c"));
  EXPECT_THAT(plain.lines(), Contains("flowtap_run_queue_latency_seconds_count.kernel:3|c"));
  EXPECT_THAT(plain.lines(), Contains("flowtap_run_queue_latency_seconds_sum.kernel:0.000006|c"));
  EXPECT_EQ(plain.lines().size(),
            std::size_t{FTAP_HIST_BUCKETS + 1});  // the lowest bucket has nothing to say
  Wire dog;
  Statsd tagged = make(dog, {"", true, 100});
  ASSERT_TRUE(tagged.publish(script.next()));
  EXPECT_THAT(dog.lines(),
              Contains("flowtap_run_queue_latency_seconds_bucket:3|c|#scheduler:kernel,le:0.000002048"));
}

TEST(Statsd, OnlyDifferencesAreSent) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 12);
  ASSERT_TRUE(backend.publish(script.next()));
  wire.packets.clear();
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), IsEmpty());
  script.dispatched(StatId::kWSYNC, 15);
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), ElementsAre("dispatched_tasks_total.kernel.wsync:3|c"));
}

// A machine that has been up for a year would send a year's worth.
TEST(Statsd, WhatTheMachineCountedBeforeIsNotSent) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  const std::vector<std::string> old{"unit", "", "", "", "a.service"};
  script.set(StatId::kWORKLOAD_DISPATCHES, old, std::uint64_t{1'000'000});
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), IsEmpty());
  script.set(StatId::kWORKLOAD_DISPATCHES, old, std::uint64_t{1'000'003});
  script.set(StatId::kWORKLOAD_DISPATCHES, {"unit", "", "", "", "new.service"}, std::uint64_t{5});
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(),
              ElementsAre("flowtap_workload_dispatches_total.unit.none.none.none.a_service:3|c",
                          "flowtap_workload_dispatches_total.unit.none.none.none.new_service:5|c"));
}

TEST(Statsd, LargeCountsAreExact) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 9'007'199'254'740'993);  // 2^53 + 1
  ASSERT_TRUE(backend.publish(script.next()));
  script.dispatched(StatId::kWSYNC, 18'446'744'073'709'551'615U);
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), ElementsAre("dispatched_tasks_total.kernel.wsync:9007199254740993|c",
                                        "dispatched_tasks_total.kernel.wsync:18437736874454810622|c"));
}

TEST(Statsd, BytesOfTheProtocolAreReplaced) {
  Wire wire;
  SnapshotScript script;
  script.set(StatId::kREAD_ERRORS, {"a.b|c#d:e,f\n@g h\x80"}, std::uint64_t{1});
  script.set(StatId::kREAD_ERRORS, {""}, std::uint64_t{2});
  Statsd plain = make(wire);
  ASSERT_TRUE(plain.publish(script.next()));
  EXPECT_THAT(wire.lines(), ElementsAre("flowtap_read_errors_total.none:2|c",
                                        "flowtap_read_errors_total.a_b_c_d_e_f__g_h_:1|c"));
  wire.packets.clear();
  Statsd tagged = make(wire, {"", true, 100});
  ASSERT_TRUE(tagged.publish(script.next()));
  EXPECT_THAT(wire.lines(), ElementsAre("flowtap_read_errors_total:2|c|#what:none",
                                        "flowtap_read_errors_total:1|c|#what:a.b_c_d:e_f__g_h_"));
}

TEST(Statsd, NegativeGaugesFollowAZeroInTheSamePacket) {
  Wire wire;
  test::StatsdModel model;
  wire.on_packet = [&](const std::string& packet) { model.packet(packet); };
  Statsd backend = make(wire);
  SnapshotScript script;
  for (const double value : {5.0, -3.0, -2.5}) {
    script.set(StatId::kPROCESS_THREADS, {}, value);
    ASSERT_TRUE(backend.publish(script.next()));
    EXPECT_EQ(model.gauge("process_threads"), value);
  }
  Wire dog;
  Statsd tagged = make(dog, {"", true, 100});
  ASSERT_TRUE(tagged.publish(script.next()));
  EXPECT_THAT(dog.lines(), ElementsAre("process_threads:-2.5|g"));
}

TEST(Statsd, PacketsStayWithinTheLimit) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  for (int i = 0; i < 500; ++i)
    script.set(StatId::kREAD_ERRORS, {"cause" + std::to_string(i)}, std::uint64_t{7});
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_EQ(wire.lines().size(), 500U);
  for (const std::string& packet : wire.packets) EXPECT_LE(packet.size(), kMaxPacket);
  EXPECT_LT(wire.packets.size(), 20U);  // and they are filled
}

TEST(Statsd, APacketThatWasNotTakenIsNeitherLostNorSentTwice) {
  for (const Sent failure : {Sent::kRefused, Sent::kWouldBlock}) {
    for (std::size_t accepted = 0; accepted < 16; ++accepted) {
      Wire wire;
      test::StatsdModel model;
      wire.on_packet = [&](const std::string& packet) { model.packet(packet); };
      wire.then = failure;
      Statsd backend = make(wire);
      SnapshotScript script;
      for (std::uint64_t cycle = 1; cycle <= 3; ++cycle) {
        for (int i = 0; i < 400; ++i)
          script.set(StatId::kREAD_ERRORS, {"cause" + std::to_string(i)},
                     cycle * static_cast<std::uint64_t>(i));
        wire.accept = accepted;
        (void)backend.publish(script.next());
        EXPECT_FALSE(accepted == 0 && backend.health().up);
      }
      wire.accept = 1000;
      ASSERT_TRUE(backend.publish(script.next()));
      for (int i = 0; i < 400; ++i)
        EXPECT_EQ(model.count("flowtap_read_errors_total.cause" + std::to_string(i)), 3.0 * i);
      EXPECT_EQ(backend.health().pending, 0U);
      EXPECT_EQ(backend.health().lost, 0U);
    }
  }
}

TEST(Statsd, ACutShortCycleIsContinuedNotBegunAgain) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  for (std::uint64_t cycle = 1; cycle <= 12; ++cycle) {
    for (int i = 0; i < 400; ++i) script.set(StatId::kREAD_ERRORS, {"cause" + std::to_string(i)}, cycle);
    wire.accept = 1;  // of eleven
    (void)backend.publish(script.next());
  }
  std::set<std::string> told;
  for (const std::string& line : wire.lines()) told.insert(line.substr(0, line.find(':')));
  EXPECT_EQ(told.size(), 400U);
}

TEST(Statsd, WhatExceedsTheBoundIsCountedAsLost) {
  Wire wire;
  wire.up = false;
  Statsd backend = make(wire, {"", false, 10});
  SnapshotScript script;
  for (int i = 0; i < 25; ++i)
    script.set(StatId::kREAD_ERRORS, {"cause" + std::to_string(i)}, std::uint64_t{5});
  EXPECT_FALSE(backend.publish(script.next()));
  EXPECT_EQ(backend.health().pending, 10U);
  EXPECT_EQ(backend.health().lost, 15U);
  EXPECT_EQ(backend.health().last_error, "nobody there");
  EXPECT_FALSE(backend.publish(script.next()));
  EXPECT_EQ(backend.health().lost, 15U);  // nothing new, nothing lost
  wire.up = true;
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_EQ(wire.lines().size(), 10U);
  EXPECT_EQ(backend.health().pending, 0U);
  EXPECT_TRUE(backend.health().up);
}

TEST(Statsd, AGaugeThatIsAbsentIsNotSent) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  script.set(StatId::kPROCESS_THREADS, {}, 1.0);
  wire.up = false;
  (void)backend.publish(script.next());
  script.absent(StatId::kPROCESS_THREADS, {});
  wire.up = true;
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), IsEmpty());
}

TEST(Statsd, ATotalThatBeganAgainCountsFromZero) {
  Wire wire;
  Statsd backend = make(wire);
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 12);
  ASSERT_TRUE(backend.publish(script.next()));
  script.dispatched(StatId::kWSYNC, 5);
  ASSERT_TRUE(backend.publish(script.next()));
  EXPECT_THAT(wire.lines(), ElementsAre("dispatched_tasks_total.kernel.wsync:12|c",
                                        "dispatched_tasks_total.kernel.wsync:5|c"));
}

TEST(Statsd, LabelsThatComeAndGoDoNotFillTheMemory) {
  Wire wire;
  Statsd backend = make(wire);
  for (int i = 0; i < 5000; ++i) {
    SnapshotScript script;
    script.dispatched(StatId::kWSYNC, static_cast<std::uint64_t>(i) + 1);
    script.set(StatId::kREAD_ERRORS, {"cause" + std::to_string(i)}, std::uint64_t{1});
    if (i >= 10) script.set(StatId::kRECURSION_MISSES, {"p"}, static_cast<std::uint64_t>(i));
    ASSERT_TRUE(backend.publish(script.next()));
  }
  test::StatsdModel model;
  for (const std::string& packet : wire.packets) model.packet(packet);
  EXPECT_EQ(model.count("dispatched_tasks_total.kernel.wsync"), 5000);  // kept through the clearing
  EXPECT_EQ(model.count("flowtap_bpf_program_recursion_misses_total.p"), 4999);
  EXPECT_LT(backend.tracked(), 1100U);
}

}  // namespace
}  // namespace flowtap::stats
