// Where the last lines begin, against a plain walk from the front.
#include "stream/reading/whole_tail.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string_view>

#include "stream/lines/shown_lines.hpp"

namespace flowtap {
namespace {

struct Stored {
  bool err = false;
  bool full = false;
  bool gap = false;
};

flow::CriLine line_of(const Stored& stored) {
  flow::CriLine line;
  line.output = stored.err ? "stderr" : "stdout";
  line.full = stored.full || stored.gap;
  if (stored.gap) line.missing = 1;
  return line;
}

// The places of the lines that are shown: those that belong to one of the last `wanted` lines.
std::vector<std::size_t> plain(const std::vector<Stored>& log, std::size_t wanted, bool gaps) {
  flow::ShownLines lines;
  std::vector<std::size_t> line_at(log.size());
  std::array<std::size_t, 2> number{};
  std::size_t all = 0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const bool begins = lines.take(line_of(log[i]));
    if (begins || (log[i].gap && gaps)) number.at(log[i].err ? 1 : 0) = ++all;
    line_at[i] = number.at(log[i].err ? 1 : 0);
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < log.size(); ++i)
    if (line_at[i] + wanted > all && (gaps || !log[i].gap)) shown.push_back(i);
  return shown;
}

std::vector<std::size_t> by_tail(const std::vector<Stored>& log, std::size_t wanted, bool gaps) {
  WholeTail tail(wanted, gaps);
  std::size_t at = log.size();
  while (at > 0 && !tail.is_enough()) {
    --at;
    tail.take(at, line_of(log[at]));
  }
  if (!tail.is_enough()) tail.finish();
  const auto start = tail.start();
  std::array<bool, 2> within = start ? start->within : std::array<bool, 2>{};
  std::vector<std::size_t> shown;
  for (std::size_t i = start ? start->at : wanted == 0 ? log.size() : 0; i < log.size(); ++i) {
    bool& is_within = within.at(log[i].err ? 1 : 0);
    const bool left_out = is_within && !log[i].gap;
    is_within = left_out && !log[i].full;
    if (!left_out && (gaps || !log[i].gap)) shown.push_back(i);
  }
  EXPECT_TRUE(!start || start->stored == log.size() - start->at);
  return shown;
}

TEST(WholeTail, IsThatOfAPlainWalk) {
  std::mt19937 random(11);
  const auto one_of = [&random](unsigned n) { return random() % n == 0; };
  for (int round = 0; round < 3000; ++round) {
    std::vector<Stored> log(random() % 30);
    const unsigned parts = 2 + random() % 4;
    for (Stored& stored : log) stored = {.err = one_of(3), .full = one_of(parts), .gap = one_of(9)};
    for (std::size_t wanted = 0; wanted < 12; ++wanted)
      for (const bool gaps : {false, true})
        ASSERT_EQ(by_tail(log, wanted, gaps), plain(log, wanted, gaps))
            << round << ' ' << wanted << ' ' << gaps;
  }
}

// The other output's latest line may be one of the last, so its beginning is looked for, but not for ever.
TEST(WholeTail, LooksBackOnlySoFar) {
  WholeTail tail(2, false);
  flow::LogPosition at = 10 * WholeTail::kLookBack;
  tail.take(at, line_of({.err = true, .full = true}));
  std::size_t taken = 0;
  for (; !tail.is_enough() && at > 1000; ++taken) tail.take(at -= 1000, line_of({.full = true}));
  EXPECT_NEAR(static_cast<double>(taken), static_cast<double>(WholeTail::kLookBack) / 1000, 5);
  ASSERT_TRUE(tail.start());
  EXPECT_EQ(tail.start()->at, 10 * WholeTail::kLookBack - 1000) << "that line counts, and one of the others";
  EXPECT_EQ(tail.start()->within, (std::array<bool, 2>{}));
  EXPECT_EQ(tail.lines(), 2U);
}

}  // namespace
}  // namespace flowtap
