// Against a server on a real socket: what it told, and what it does to a reader.
#include "count/scx_stats.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/eventually.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/support/metrics/scx_server.hpp"
#include "tests/support/net/sockets.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using stats::StatId;
using test::ScxServer;

class ScxStatsOf : public testing::Test {
 protected:
  // Does what the service does each second.
  void looks(int times = 1) {
    for (int i = 0; i < times; ++i) {
      at += 1s;
      stats.look(kernel, at, errors);
    }
  }
  // Looks until it is so; a look is what moves it on. The time that an answer may take passes only where it is told to.
  template <typename So>
  [[nodiscard]] bool comes(So so, ScxStats::Clock::duration each = {}) {
    return test::eventually([&] {
      if (so()) return true;
      stats.look(kernel, at += each, errors);
      return so();
    });
  }
  [[nodiscard]] std::optional<double> value(StatId id, const std::string& stat,
                                            const std::string& member = "") const {
    std::vector<stats::Series> all;
    stats.append_samples(all);
    for (const stats::Series& s : all)
      if (s.stat->id == id && s.labels == std::vector<std::string>{kernel.scheduler, stat, member})
        return std::get<double>(s.value);
    return std::nullopt;
  }
  [[nodiscard]] std::optional<double> total() const { return value(StatId::kSCX_COUNTER, "total"); }

  const test::TempDir dir;
  const std::string path = dir / "scx/root/stats";
  ScxStats stats{path};
  kernel::SchedExt kernel{.state = "enabled",
                          .scheduler = "rusty_1.1.3_x86_64",
                          .enable_sequence = 4,
                          .rejected = 0,
                          .events = {}};
  ScxStats::Clock::time_point at{};
  ReadErrors errors;
};

TEST_F(ScxStatsOf, WhatTheSchedulerCountedIsWhatTheCounterShows) {
  ScxServer server(path);
  server.count(1000);  // before anybody asked
  ASSERT_TRUE(comes([&] { return total().has_value(); }));
  EXPECT_EQ(total(), 0);
  for (int i = 1; i <= 50; ++i) {
    const auto before = server.questions();
    server.count(static_cast<std::uint64_t>(i));
    ASSERT_TRUE(comes([&] { return server.questions() > before; }));
  }
  ASSERT_TRUE(comes([&] { return total() == 50 * 51 / 2; })) << *total();
  EXPECT_EQ(server.told(), 50U * 51 / 2);
  EXPECT_EQ(server.connections(), 1) << "each has an account of its own";
  EXPECT_EQ(value(StatId::kSCX_GAUGE, "slice_us"), 20000);
  EXPECT_EQ(value(StatId::kSCX_GAUGE, "nodes.doms.load", "0/1"), 1);
  EXPECT_FALSE(value(StatId::kSCX_GAUGE, "at_us"));
  EXPECT_TRUE(stats.health().value());
  EXPECT_EQ(stats.how(), "6 values of the scheduler that runs, from " + path);
  EXPECT_EQ(errors[ScxStats::kName], 0U);
}

TEST_F(ScxStatsOf, WithoutASocketOrASchedulerThereIsNothing) {
  looks(3);
  EXPECT_FALSE(stats.health());
  EXPECT_EQ(errors[ScxStats::kName], 0U);
  const ScxServer server(path);
  kernel.state = "disabled";
  kernel.scheduler.clear();
  looks(3);
  stats.look(std::nullopt, at, errors);
  EXPECT_FALSE(stats.health());
  kernel.state = "enabled";
  kernel.scheduler = "rusty";
  kernel.enable_sequence = 5;
  ASSERT_TRUE(comes([&] { return total().has_value(); }));
  EXPECT_EQ(server.connections(), 1) << "nobody asked before";
}

TEST_F(ScxStatsOf, TheNextSchedulerIsAskedAnewAndItsCountsAreAdded) {
  for (const std::uint64_t run : {4UL, 5UL, 6UL}) {
    kernel.enable_sequence = run;
    ScxServer server(path);
    ASSERT_TRUE(comes([&] { return server.questions() > 1; }));
    server.count(10);
    const double so_far = 10.0 * static_cast<double>(run - 3);
    ASSERT_TRUE(comes([&] { return total() == so_far; }));
  }
  looks(2);  // the last scheduler is gone, and the kernel does not say so yet
  EXPECT_FALSE(total()) << "what was true then is not shown";
  EXPECT_EQ(errors[ScxStats::kName], 0U);
  kernel.enable_sequence = 7;
  const ScxServer server(path);
  ASSERT_TRUE(comes([&] { return total().has_value(); }));
  EXPECT_EQ(total(), 30) << "and does not fall";
}

TEST_F(ScxStatsOf, OneThatDoesNotAnswerIsSaidAndTriedAgain) {
  std::atomic<bool> silent = true;
  const ScxServer server(path, [&](std::string_view) {
    EXPECT_TRUE(test::eventually([&] { return !silent; }));
    return test::scx_answer(test::kRustyMeta);
  });
  looks(5);
  EXPECT_FALSE(stats.health()) << "it has ten seconds";
  looks(10);
  ASSERT_TRUE(stats.health());
  ASSERT_FALSE(*stats.health());
  EXPECT_EQ(stats.health()->error().what, "the scheduler did not answer for 10 s");
  EXPECT_EQ(errors[ScxStats::kName], 1U);
  silent = false;
  EXPECT_TRUE(comes([&] { return server.connections() >= 2; }, 1s));
}

TEST_F(ScxStatsOf, GarbageIsRefusedAndCounted) {
  for (const std::string& line :
       {std::string("no JSON"), std::string("{}"), test::scx_answer("[]"), test::scx_answer(R"({"M":{}})"),
        std::string(ScxClient::kLongestAnswer + 100, 'x'),
        "{\"errno\":0,\"args\":" + std::string(5000, '[')}) {
    const ScxServer server(path, [&](std::string_view) { return line; });
    errors.clear();
    kernel.enable_sequence = *kernel.enable_sequence + 1;
    EXPECT_TRUE(comes([&] { return errors[ScxStats::kName] == 1; })) << line.substr(0, 50);
    ASSERT_TRUE(stats.health());
    EXPECT_FALSE(*stats.health());
    const auto failed = at;
    ASSERT_TRUE(comes([&] { return errors[ScxStats::kName] == 2; }, 1s));
    EXPECT_GE(at - failed, 10s) << "it is not asked again at once";
  }
}

// scx_lavd's statistics go to the reader that asked last.
TEST_F(ScxStatsOf, WhoIsRefusedDoesNotChaseTheOtherReaderAway) {
  ScxServer server(path, [](std::string_view request) {
    if (request.contains("stats_meta")) return test::scx_answer(test::kRustyMeta);
    return std::string(R"({"errno":22,"args":{"resp":"preempted by another sampler"}})");
  });
  ASSERT_TRUE(comes([&] { return errors[ScxStats::kName] == 1; }));
  EXPECT_EQ(stats.health()->error().what,
            "the scheduler refuses its statistics: preempted by another sampler");
  for (int i = 0; i < 590; ++i) stats.look(kernel, at += 1s, errors);
  EXPECT_EQ(server.connections(), 1);
  ASSERT_TRUE(comes([&] { return server.connections() == 2; }, 1s)) << "ten minutes later";
}

// A scheduler that takes connections and closes them has not ended.
TEST_F(ScxStatsOf, OneThatEndsEachConnectionIsSaid) {
  const Fd listener = stats::test::bind_unix(SOCK_STREAM, dir / "stats");
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  ScxStats ended(dir / "stats");
  for (int i = 0; i < 20; ++i) {
    ended.look(kernel, at += 1s, errors);
    const Fd taken(::accept(listener.get(), nullptr, nullptr));
  }
  EXPECT_EQ(errors[ScxStats::kName], 2U) << "and not asked each second";
  ASSERT_TRUE(ended.health());
  EXPECT_TRUE(ended.health()->error().what.starts_with("the scheduler ends each connection"));
}

TEST_F(ScxStatsOf, APathThatIsTooLongIsSaid) {
  ScxStats far("/" + std::string(200, 'x'));
  far.look(kernel, at, errors);
  ASSERT_TRUE(far.health());
  EXPECT_TRUE(far.health()->error().what.ends_with("is too long for a socket"));
}

}  // namespace
}  // namespace flowtap
