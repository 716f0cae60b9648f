#include "telemetry/collecting/collectors.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <new>
#include <semaphore>

#include "tests/support/eventually.hpp"

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

// Long enough on any machine for a collector that is done, and passed at once by one that hangs.
constexpr auto kPatient = 30s;
constexpr auto kImpatient = 1s;

class Counting final : public Collector {
 public:
  [[nodiscard]] std::string_view name() const override { return "counting"; }
  void collect(Collected& out) override {
    out.series.push_back({&stats::stat(stats::StatId::kNODE_LOAD1), {}, ++calls_});
    ++out.unread;
  }

 private:
  std::uint64_t calls_ = 0;
};

// A collector that hangs in its first call until it is let go.
class Hanging final : public Collector {
 public:
  explicit Hanging(std::shared_ptr<std::latch> go) : go_(std::move(go)) {}
  [[nodiscard]] std::string_view name() const override { return "hanging"; }
  void collect(Collected& out) override {
    go_->wait();
    out.series.push_back({&stats::stat(stats::StatId::kNODE_LOAD5), {}, std::uint64_t{7}});
  }

 private:
  std::shared_ptr<std::latch> go_;
};

TEST(Collectors, EachRoundReadsAnew) {
  Collectors collectors;
  collectors.add(std::make_unique<Counting>());
  EXPECT_FALSE(collectors.states().at(0).done);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    std::vector<stats::Series> out;
    collectors.collect(kPatient, out);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(std::get<std::uint64_t>(out[0].value), round);
    EXPECT_EQ(collectors.states().at(0).unread, round);
    EXPECT_TRUE(collectors.states().at(0).done);
  }
  EXPECT_EQ(collectors.states().at(0).timeouts, 0U);
}

TEST(Collectors, OneThatHangsIsAbsentAndHoldsUpNobody) {
  const auto go = std::make_shared<std::latch>(1);
  Collectors collectors;
  collectors.add(std::make_unique<Hanging>(go));
  collectors.add(std::make_unique<Counting>());
  std::vector<stats::Series> out;
  collectors.collect(kImpatient, out);
  EXPECT_TRUE(collectors.states().at(0).late);
  // It is cut off once, however many rounds it misses; they do not wait for it any more, or this would take hours.
  for (int round = 0; round < 3; ++round) {
    out.clear();
    collectors.collect(1h, out);
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].stat->id, stats::StatId::kNODE_LOAD1);
  }
  EXPECT_EQ(collectors.states().at(0).timeouts, 1U);
  EXPECT_FALSE(collectors.states().at(0).done);

  // Once it is back, its values are read anew.
  go->count_down();
  const auto limit = std::chrono::steady_clock::now() + kPatient;
  do {
    out.clear();
    collectors.collect(kPatient, out);
  } while (out.size() < 2 && std::chrono::steady_clock::now() < limit);
  EXPECT_EQ(out.size(), 2U);
  EXPECT_FALSE(collectors.states().at(0).late);
}

// A collector that is never done within the limit: it goes on when it is let, once for each call.
class Slow final : public Collector {
 public:
  explicit Slow(std::shared_ptr<std::counting_semaphore<>> go) : go_(std::move(go)) {}
  [[nodiscard]] std::string_view name() const override { return "slow"; }
  void collect(Collected& out) override {
    go_->acquire();
    out.series.push_back({&stats::stat(stats::StatId::kNODE_LOAD5), {}, ++calls_});
    out.unread = 1;
  }

 private:
  std::shared_ptr<std::counting_semaphore<>> go_;
  std::uint64_t calls_ = 0;
};

TEST(Collectors, OneThatIsDoneBehindItsLimitIsARoundBehind) {
  const auto go = std::make_shared<std::counting_semaphore<>>(0);
  Collectors collectors;
  collectors.add(std::make_unique<Slow>(go));
  const auto round = [&] {
    std::vector<stats::Series> out;
    collectors.collect(50ms, out);
    return out;
  };
  const auto finish = [&] {
    const auto before = collectors.states().at(0).took;
    go->release();
    EXPECT_TRUE(test::eventually([&] { return collectors.states().at(0).took != before; }));
  };
  EXPECT_TRUE(round().empty());
  for (std::uint64_t done = 1; done <= 3; ++done) {
    finish();
    const auto out = round();
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(std::get<std::uint64_t>(out[0].value), done);
    EXPECT_EQ(collectors.states().at(0).timeouts, done + 1);
    EXPECT_EQ(collectors.states().at(0).unread, done);
    EXPECT_TRUE(collectors.states().at(0).late);
    EXPECT_TRUE(collectors.states().at(0).done) << "and how long it takes is known";
  }
  // A round goes by: what it finishes after that is old.
  EXPECT_TRUE(round().empty());
  finish();
  EXPECT_TRUE(round().empty());
  EXPECT_EQ(collectors.states().at(0).unread, 4U) << "counted all the same";
  finish();
  EXPECT_EQ(round().size(), 1U);
  go->release();
}

// A collector that throws half-way every second time, as where there is no memory.
class Throwing final : public Collector {
 public:
  [[nodiscard]] std::string_view name() const override { return "throwing"; }
  void collect(Collected& out) override {
    out.series.push_back({&stats::stat(stats::StatId::kNODE_LOAD5), {}, std::uint64_t{7}});
    if (++calls_ % 2 == 1) throw std::bad_alloc();
  }

 private:
  unsigned calls_ = 0;
};

TEST(Collectors, OneThatThrowsIsAbsentCountedAndAskedAgain) {
  Collectors collectors;
  collectors.add(std::make_unique<Throwing>());
  collectors.add(std::make_unique<Counting>());
  for (std::uint64_t round = 1; round <= 4; ++round) {
    std::vector<stats::Series> out;
    collectors.collect(kPatient, out);
    ASSERT_EQ(out.size(), round % 2 == 1 ? 1U : 2U);
    EXPECT_EQ(out.back().stat->id, stats::StatId::kNODE_LOAD1);
    EXPECT_EQ(collectors.states().at(0).unread, (round + 1) / 2);
    EXPECT_FALSE(collectors.states().at(0).late);
  }
}

TEST(Collectors, EndWhileOneHangs) {
  const auto go = std::make_shared<std::latch>(1);
  {
    Collectors collectors;
    collectors.add(std::make_unique<Hanging>(go));
    std::vector<stats::Series> out;
    collectors.collect(kImpatient, out);
  }
  go->count_down();  // its thread ends by itself
}

}  // namespace
}  // namespace flowtap::telemetry
