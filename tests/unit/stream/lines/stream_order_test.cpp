// Records that come out of order, twice, or never.
#include "stream/lines/stream_order.hpp"

#include <gtest/gtest.h>

#include <functional>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace flowtap::flow {
namespace {

using Clock = StreamOrder::Clock;

class StreamOrderTest : public testing::Test {
 protected:
  void add(std::uint64_t offset, const std::string& bytes, Clock::time_point now = {}) {
    order_.add(offset, bytes, offset, now, take());
  }
  void give_up(Clock::time_point now = {}) { order_.give_up(now, take(), missing()); }
  std::function<void(std::string_view, std::uint64_t)> take() {
    return [this](std::string_view bytes, std::uint64_t /*time*/) { all_ += bytes; };
  }
  std::function<void(std::uint64_t, std::uint64_t)> missing() {
    return [this](std::uint64_t from, std::uint64_t to) { all_ += "<" + std::to_string(to - from) + ">"; };
  }

  StreamOrder order_;
  std::string all_;
};

TEST_F(StreamOrderTest, AnyOrderGivesTheSame) {
  std::mt19937 random(3);
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (int round = 0; round < 200; ++round) {
    order_ = StreamOrder();
    all_.clear();
    std::vector<std::pair<std::uint64_t, std::string>> pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::uniform_int_distribution<std::size_t>(1, 7)(random);
      pieces.emplace_back(at, text.substr(at, size));
      at += pieces.back().second.size();
    }
    pieces.insert(pieces.end(), pieces.begin(), pieces.begin() + 2);  // twice
    std::ranges::shuffle(pieces, random);
    for (const auto& [offset, bytes] : pieces) add(offset, bytes);
    EXPECT_EQ(all_, text);
    EXPECT_EQ(order_.until(), Clock::time_point::max());
  }
}

TEST_F(StreamOrderTest, AGapIsWaitedForAndThenSaid) {
  const Clock::time_point now{};
  add(0, "ab", now);
  add(5, "fg", now);
  add(9, "jk", now);
  EXPECT_EQ(all_, "ab");
  EXPECT_FALSE(order_.is_due(now));
  EXPECT_TRUE(order_.is_due(now + StreamOrder::kPatience));
  give_up(now + StreamOrder::kPatience);
  EXPECT_EQ(all_, "ab<3>fg");
  EXPECT_FALSE(order_.is_due(now + StreamOrder::kPatience)) << "the next one has its own time";
  add(7, "hi", now);
  EXPECT_EQ(all_, "ab<3>fghijk");
  EXPECT_EQ(order_.next(), 11U);
  add(3, "late", now);
  EXPECT_EQ(all_, "ab<3>fghijk") << "what was given up does not come any more";
}

TEST_F(StreamOrderTest, HoldsNoMoreThanItMay) {
  const std::string block(64U << 10U, 'x');
  for (std::uint64_t i = 0; i < 4; ++i) add(1 + i * block.size(), block);
  EXPECT_FALSE(order_.is_due({}));
  add(1 + 4 * block.size(), block);
  EXPECT_TRUE(order_.is_due({}));
  give_up();
  EXPECT_EQ(all_.size(), 3 + 5 * block.size());
}

TEST_F(StreamOrderTest, TheEndMayBeMissing) {
  add(0, "ab");
  order_.skip_to(7, missing());
  EXPECT_EQ(all_, "ab<5>");
}

}  // namespace
}  // namespace flowtap::flow
