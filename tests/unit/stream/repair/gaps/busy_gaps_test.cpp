// Gaps of a source that writes more in the seconds before them than is looked through at once.
#include <gtest/gtest.h>

#include "stream/repair/gaps/flow_gaps.hpp"
#include "tests/unit/stream/repair/history_kit.hpp"

namespace flowtap {
namespace {

// The runtime has dated its n-th line at time_of(n). All of its lines are equally long.
class BusyGapsTest : public HistoryTest {
 protected:
  static constexpr std::uint64_t kWindow = std::uint64_t{512} << 10U;

  void SetUp() override {
    store_ = flow::FlowStore::open({.dir = dir_ / "small", .store_bytes = 2 * kWindow});
  }
  static std::uint64_t time_of(std::uint64_t n) { return 1'000'000'000'000 + n * 20'000; }
  static std::string text_of(std::uint64_t n) { return line(1'000'000 + n); }
  static std::string texts(std::uint64_t from, std::uint64_t to) {
    return lines(1'000'000 + from, 1'000'000 + to);
  }
  static std::string kept(std::uint64_t from, std::uint64_t to, unsigned output = 0,
                          std::uint64_t later = 0) {
    std::string all;
    for (std::uint64_t n = from; n < to; ++n)
      all +=
          rfc3339_nano(std::chrono::system_clock::time_point(std::chrono::nanoseconds(time_of(n) + later))) +
          (output == 0 ? " stdout F " : " stderr F ") + text_of(n);
    return all;
  }
  void keep_text(const std::string& text) {
    tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", text);
  }
  void say(std::uint64_t from, std::uint64_t to, unsigned output = 0, std::uint64_t later = 0) {
    flow::FlowStore::Writing writing(*store_, {});
    for (std::uint64_t n = from; n < to; ++n) {
      const std::string text = text_of(n);
      std::uint64_t& at = at_.at(output);
      writing.add(*writing.flow(kFlow), output + 1, output == 0 ? "stdout" : "stderr",
                  {std::string_view(text).substr(0, text.size() - 1), true, at, at + text.size(),
                   time_of(n) + later - 5000});
      at += text.size();
    }
  }
  void lack(std::uint64_t bytes, std::uint64_t known_at, unsigned output = 0, std::uint64_t later = 0) {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow(kFlow), output + 1, output == 0 ? "stdout" : "stderr",
                    at_.at(output) += bytes, time_of(known_at) + later - 5000);
  }
  GapRound fill(bool last = true) { return fill_gaps(*store_, *history_, kFlow, decided_, {.last = last}); }
  static std::uint64_t of(const GapRound& round, RefillResult result) {
    return round.bytes.at(static_cast<std::size_t>(result));
  }

  GapsDecided decided_;
  const std::uint64_t size_ = text_of(0).size();
};

// The place of what is found is known by its time alone.
TEST_F(BusyGapsTest, AreFilledOneAfterTheOther) {
  constexpr std::uint64_t kLast = 140'000;
  keep_text(kept(0, kLast));
  say(0, 20), lack((kLast - 50'020) * size_, kLast - 50'000);
  say(kLast - 50'000, kLast - 49'900), lack(100 * size_, kLast - 49'800);
  say(kLast - 49'800, kLast - 100), lack(10 * size_, kLast - 90);
  say(kLast - 90, kLast);
  GapRound round = fill();
  EXPECT_EQ(of(round, RefillResult::kUnfilled), (kLast - 50'020) * size_)
      << "that is too much to be looked through";
  EXPECT_EQ(round.open, 110 * size_) << "nobody has looked for these";
  round = fill();
  EXPECT_EQ(of(round, RefillResult::kApproximate), 100 * size_);
  while (round.open > 0) round = fill();
  EXPECT_EQ(of(round, RefillResult::kApproximate), 10 * size_);
  EXPECT_EQ(store_->summary(kFlow)->missing, (kLast - 50'020) * size_);
  EXPECT_TRUE(log({.gaps = true}).ends_with(texts(kLast - 50'000, kLast)));
}

// They end right before the end of what is looked through.
TEST_F(BusyGapsTest, ThatAreReachedAreFilledExactly) {
  const std::uint64_t reach = kWindow / size_;
  keep_text(kept(0, reach + 10'000));
  for (const auto& [before, lacking] :
       {std::pair{reach - 300, std::uint64_t{10}}, {std::uint64_t{1000}, reach - 1300}}) {
    store_ = flow::FlowStore::open({.dir = dir_ / std::to_string(before), .store_bytes = 2 * kWindow});
    at_ = {}, decided_ = {};
    say(before - 50, before), lack(lacking * size_, before + lacking);
    say(before + lacking, before + lacking + 50);
    EXPECT_EQ(of(fill(), RefillResult::kExact), lacking * size_) << before;
  }
}

// One output is read again. What was found of the other one, and how surely, does not change.
TEST_F(BusyGapsTest, ChangeNothingForTheOtherOutput) {
  constexpr std::uint64_t kLater = 130'000'000'000;
  constexpr std::uint64_t kLast = 100'000;
  const std::string others = kept(0, kLast, 1, kLater);
  for (const bool is_broken : {false, true}) {
    store_ =
        flow::FlowStore::open({.dir = dir_ / (is_broken ? "broken" : "whole"), .store_bytes = 2 * kWindow});
    at_ = {}, decided_ = {};
    keep_text(kept(0, 5) + (is_broken ? "this is no line\n" : "") + kept(5, is_broken ? 20 : 10) + others);
    {
      flow::FlowStore::Writing writing(*store_, {});
      writing.open_stream(*writing.flow(kFlow), false);
    }
    lack(10 * size_, 9);
    if (is_broken) say(10, 20);
    say(kLast - 2000, kLast - 1000, 1, kLater), lack(10 * size_, kLast - 990, 1, kLater);
    say(kLast - 990, kLast, 1, kLater);
    {
      flow::FlowStore::Writing writing(*store_, {});
      writing.end_stream(*writing.flow(kFlow), time_of(kLast) + kLater);
    }
    GapRound all = fill();
    for (int rounds = 0; rounds < 3; ++rounds) {
      const GapRound more = fill();
      for (std::size_t i = 0; i < kRefillResults; ++i) all.bytes.at(i) += more.bytes.at(i);
    }
    EXPECT_EQ(of(all, RefillResult::kExact), is_broken ? 0 : 10 * size_);
    EXPECT_EQ(of(all, RefillResult::kApproximate), (is_broken ? 20 : 10) * size_)
        << "a beginning may be amid lines that could not be read";
  }
}

// The runtime lacks them as well.
TEST_F(BusyGapsTest, AreGivenUpOnce) {
  keep_text(kept(0, 5000) + kept(5400, 60'000));
  say(4000, 4100), lack(10 * size_, 4110);
  say(4110, 4200), lack(500'000, 5000);
  say(5000, 5060), lack(1000, 5100);
  say(5100, 5160), lack(2000, 5300);
  say(5300, 5330);
  std::uint64_t unfilled = 0;
  std::uint64_t found = 0;
  GapRound round{.bytes = {}, .open = 1};
  for (int rounds = 0; rounds < 10 && round.open > 0; ++rounds) {
    round = fill();
    unfilled += of(round, RefillResult::kUnfilled);
    found += of(round, RefillResult::kExact) + of(round, RefillResult::kApproximate);
  }
  EXPECT_EQ(round.open, 0U);
  EXPECT_EQ(found, 10 * size_);
  EXPECT_EQ(unfilled, 503'000U);
  EXPECT_EQ(store_->summary(kFlow)->missing, 503'000U);
}

}  // namespace
}  // namespace flowtap
