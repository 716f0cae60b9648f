#include "stats/backends/spectatord.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/files/temp_dir.hpp"
#include "tests/support/metrics/snapshots.hpp"
#include "tests/support/net/packets.hpp"

namespace flowtap::stats {
namespace {

using std::chrono::seconds;
using test::ScriptedPackets;
using test::SnapshotScript;
using test::SpectatordModel;
using test::Wire;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

const std::string kWsync = "dispatched_tasks_total,scheduler=kernel,type=wsync";

class SpectatordTest : public testing::Test {
 protected:
  void start() {
    backend_ = std::make_unique<Spectatord>(
        SpectatordOptions{.prefix = "", .base_file = file_, .settle = seconds(11)},
        std::make_unique<ScriptedPackets>(wire_));
  }
  /// One second of ours; every five seconds the receiver flushes.
  void run(int count, std::uint64_t per_second) {
    for (int i = 0; i < count; ++i) {
      total_ += per_second;
      script_.dispatched(StatId::kWSYNC, total_);
      (void)backend_->publish(script_.next());
      if (receiver_ != nullptr && ++second_ % 5 == 0) receiver_->flush();
    }
  }
  void receive(SpectatordModel& receiver) {
    receiver_ = &receiver;
    wire_.on_packet = [&](const std::string& packet) { receiver.packet(packet); };
  }
  /// A kill and a new start: totals begin at 0.
  void restart() {
    backend_.reset();
    script_ = SnapshotScript();
    total_ = 0;
    ++wire_.generation;
    start();
  }

  flowtap::test::TempDir dir_;
  std::string file_ = dir_ / "spectatord.base";
  Wire wire_;
  SnapshotScript script_;
  std::uint64_t total_ = 0;
  int second_ = 0;
  SpectatordModel* receiver_ = nullptr;
  std::unique_ptr<Spectatord> backend_;
};

TEST_F(SpectatordTest, LinesHaveTypeTagsAndValue) {
  start();
  script_.dispatched(StatId::kWSYNC, 12);
  script_.set(StatId::kPROCESS_CPU, {}, 1.25);
  script_.set(StatId::kPROCESS_THREADS, {}, std::uint64_t{9});
  script_.set(StatId::kREAD_ERRORS, {"a/b:c=d,\n\x80"}, std::uint64_t{0});
  ASSERT_TRUE(backend_->publish(script_.next()));
  ASSERT_TRUE(backend_->publish(script_.next(seconds(11))));
  EXPECT_THAT(wire_.lines(), Contains("U:" + kWsync + ":12"));
  EXPECT_THAT(wire_.lines(), Contains("C:process_cpu_seconds_total:1.25"));
  EXPECT_THAT(wire_.lines(), Contains("g,60:process_threads:9"));
  EXPECT_THAT(wire_.lines(), Contains("U:flowtap_read_errors_total,what=a_b_c_d___:0"));
}

TEST_F(SpectatordTest, HistogramsAreCountersByEdge) {
  start();
  HistogramValue value;
  value.counts[1] = 3;
  value.sum = 0.5;
  script_.set(StatId::kLATENCY, {"kernel"}, value);
  ASSERT_TRUE(backend_->publish(script_.next()));
  ASSERT_TRUE(backend_->publish(script_.next(seconds(11))));
  const std::string name = "flowtap_run_queue_latency_seconds";
  EXPECT_THAT(wire_.lines(), Contains("U:" + name + "_bucket,scheduler=kernel,le=0.000002048:3"));
  EXPECT_THAT(wire_.lines(), Contains("U:" + name + "_count,scheduler=kernel:3"));
  EXPECT_THAT(wire_.lines(), Contains("C:" + name + "_sum,scheduler=kernel:0.5"));
}

TEST_F(SpectatordTest, NothingIsSwallowedByTheReceiversFirstFlush) {
  SpectatordModel receiver;
  receive(receiver);
  start();
  run(100, 7);
  receiver.flush();
  EXPECT_EQ(receiver.reported(kWsync), 700U);
}

TEST_F(SpectatordTest, ACounterThatAppearsLaterLosesNothingEither) {
  SpectatordModel receiver;
  receive(receiver);
  start();
  run(20, 1);
  script_.dispatched(StatId::kQUEUED, 1000);  // within the first cycle that has the series
  run(20, 1);
  receiver.flush();
  EXPECT_EQ(receiver.reported("dispatched_tasks_total,scheduler=kernel,type=queued"), 1000U);
}

TEST_F(SpectatordTest, OurRestartNeitherLosesNorInvents) {
  for (const bool check : {true, false}) {
    std::filesystem::remove(file_);
    SpectatordModel receiver(check);
    receive(receiver);
    restart();
    std::uint64_t sum = 0;
    for (int life = 0; life < 5; ++life) {
      run(17 + life, 100);  // killed at any second of a flush interval, also within the settle time
      sum += total_;
      restart();
      run(3, 10);
      sum += total_;
      restart();
    }
    run(30, 0);
    receiver.flush();
    EXPECT_EQ(receiver.reported(kWsync), sum) << "overflow check: " << check;
  }
}

TEST_F(SpectatordTest, WrittenAndNotSentIsSentAfterTheRestart) {
  SpectatordModel receiver;
  receive(receiver);
  start();
  run(30, 5);
  wire_.accept = 0;  // the file is written, and then we are killed
  run(1, 5);
  wire_.accept = 1000;
  restart();
  run(30, 0);
  receiver.flush();
  EXPECT_EQ(receiver.reported(kWsync), 155U);
}

TEST_F(SpectatordTest, ANewReceiverBeginsWhereTheOldOneEnded) {
  SpectatordModel first;
  receive(first);
  start();
  run(30, 5);
  first.flush();
  wire_.accept = 0;
  run(10, 5);
  wire_.accept = 100'000;
  ++wire_.generation;
  SpectatordModel second;
  receive(second);
  run(30, 5);
  second.flush();
  EXPECT_EQ(first.reported(kWsync), 150U);
  EXPECT_EQ(second.reported(kWsync), 200U);
  EXPECT_EQ(backend_->health().pending, 0U);
}

TEST_F(SpectatordTest, WithoutABaseFileOnlyTheCheckKeepsTheRestartHarmless) {
  file_.clear();
  SpectatordModel receiver;
  receive(receiver);
  start();
  run(50, 10);
  receiver.flush();
  restart();
  run(50, 10);
  receiver.flush();
  EXPECT_EQ(receiver.reported(kWsync), 1000U);
}

TEST_F(SpectatordTest, ABrokenBaseFileIsSaidAndReplaced) {
  std::ofstream(file_) << "flowtap-spectatord-base 1 99999 1\ngarbage";
  start();
  EXPECT_NE(backend_->health().last_error.find(file_), std::string::npos) << backend_->health().last_error;
  run(1, 5);
  EXPECT_EQ(read_base(file_).value().at("U:" + kWsync + ":"), 5U);
}

TEST_F(SpectatordTest, AStateDirectoryThatCannotBeWrittenDoesNotStopTheMetrics) {
  file_ = dir_ / "not/there";
  start();
  run(20, 5);
  EXPECT_THAT(wire_.lines(), Contains("U:" + kWsync + ":100"));
  EXPECT_NE(backend_->health().last_error.find(file_), std::string::npos);
}

TEST_F(SpectatordTest, WhatIsWrittenIsNeverLessThanWhatIsSent) {
  std::uint64_t highest = 0;
  wire_.on_packet = [&](const std::string& packet) {
    const BaseValues written = read_base(file_).value();
    for (const std::string& line : test::lines_of(packet)) {
      const auto colon = line.rfind(':');
      const std::uint64_t value = std::stoull(line.substr(colon + 1));
      EXPECT_GE(written.at(line.substr(0, colon + 1)), value);
      highest = std::max(highest, value);
    }
  };
  start();
  run(40, 3);
  EXPECT_EQ(highest, 120U);
}

TEST_F(SpectatordTest, UnchangedCountersAreRepeatedBeforeTheReceiverForgetsThem) {
  start();
  run(20, 1);
  wire_.packets.clear();
  run(59, 0);
  EXPECT_THAT(wire_.lines(), IsEmpty());
  run(2, 0);
  EXPECT_THAT(wire_.lines(), Contains("U:" + kWsync + ":20"));
}

TEST_F(SpectatordTest, ATotalThatBeganAgainGoesOn) {
  start();
  run(20, 5);
  total_ = 0;
  run(1, 3);
  EXPECT_EQ(wire_.lines().back(), "U:" + kWsync + ":103");
}

TEST_F(SpectatordTest, NamesThatBecomeTheSameAreOneCounter) {
  start();
  for (const std::uint64_t total : {1U, 2U, 3U}) {
    script_.set(StatId::kREAD_ERRORS, {"a b"}, total);
    script_.set(StatId::kREAD_ERRORS, {"a,b"}, 10 * total);
    ASSERT_TRUE(backend_->publish(script_.next(seconds(11))));
  }
  EXPECT_EQ(wire_.lines().back(), "U:flowtap_read_errors_total,what=a_b:33");
}

TEST_F(SpectatordTest, CountersBeyondTheBoundAreCountedAsLost) {
  backend_ = std::make_unique<Spectatord>(
      SpectatordOptions{.prefix = "", .base_file = "", .settle = seconds(11), .max_pending = 2},
      std::make_unique<ScriptedPackets>(wire_));
  for (const char* what : {"a", "b", "c"}) script_.set(StatId::kREAD_ERRORS, {what}, std::uint64_t{1});
  ASSERT_TRUE(backend_->publish(script_.next()));
  EXPECT_EQ(backend_->health().lost, 1U);
  EXPECT_THAT(wire_.lines(), Not(Contains("U:flowtap_read_errors_total,what=c:0")));
}

// Counts that the machine made before we ran are not sent; counts over our restarts are sent once.
TEST_F(SpectatordTest, WhatTheMachineCountedBeforeIsNotSent) {
  SpectatordModel receiver;
  receive(receiver);
  std::uint64_t machine = 1'000'000;
  start();
  for (int life = 0; life < 3; ++life) {
    for (int i = 0; i < 20; ++i) {
      script_.set(StatId::kWORKLOAD_DISPATCHES, {"unit", "n", "p", "c", "a"}, machine);
      run(1, 0);
      machine += 7;
    }
    restart();
  }
  run(20, 0);
  receiver.flush();
  EXPECT_EQ(receiver.reported(
                "flowtap_workload_dispatches_total,kind=unit,namespace=n,pod=p,container=c,workload=a"),
            3U * 19 * 7);
}

TEST_F(SpectatordTest, AReloadGoesOnWithTheSameValues) {
  SpectatordModel receiver;
  receive(receiver);
  start();
  run(30, 5);
  const SnapshotPtr last = script_.next();
  ASSERT_TRUE(backend_->publish(last));
  start();
  backend_->begin_at(*last);
  run(30, 5);
  receiver.flush();
  EXPECT_EQ(receiver.reported(kWsync), 300U);
}

}  // namespace
}  // namespace flowtap::stats
