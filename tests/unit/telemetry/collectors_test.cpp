#include "telemetry/collectors.hpp"

#include <gtest/gtest.h>

#include <latch>

namespace flowtap::telemetry {
namespace {

using namespace std::chrono_literals;

// Long enough on any machine for who is done, and passed at once by who hangs.
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

// Hangs in its first call until it is let go.
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
  // Cut off once, however many rounds it misses; they do not wait for it any more.
  for (int round = 0; round < 3; ++round) {
    out.clear();
    const auto begin = std::chrono::steady_clock::now();
    collectors.collect(kPatient, out);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatient);
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
