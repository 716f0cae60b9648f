#include "stream/repair/runtime_files/gap_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace flowtap::flow {
namespace {

std::string lines(int from, int to, const char* word = "line") {
  std::string all;
  for (int i = from; i < to; ++i) all += word + (" " + std::to_string(i)) + " of what a container says\n";
  return all;
}

// The captured bytes of a text from which some ranges were lost.
struct Lost {
  std::string captured;
  std::vector<GapPlace> gaps;
  std::vector<std::string> missing;

  Lost(const std::string& text, const std::vector<std::pair<std::size_t, std::size_t>>& ranges) {
    std::size_t at = 0;
    for (const auto& [from, to] : ranges) {
      captured += text.substr(at, from - at);
      gaps.push_back({captured.size(), to - from});
      missing.push_back(text.substr(from, to - from));
      at = to;
    }
    captured += text.substr(at);
  }
  // Checks that all found bytes are the lost ones, and returns how many gaps were found.
  std::size_t found(const std::string& text, RuntimeFormat format = RuntimeFormat::kK8sFile,
                    bool ended = true) const {
    const auto all = find_gaps({captured, gaps, text, format, ended});
    EXPECT_EQ(all.size(), gaps.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i]) continue;
      EXPECT_FALSE(all[i]->approximate) << i;
      EXPECT_EQ(all[i]->bytes, missing[i]) << i;
      ++count;
    }
    return count;
  }
};

TEST(GapSearch, AllGapsOfALog) {
  const std::string text = lines(0, 10'000);
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t at = 1000; at + 900 < text.size(); at += 1000) ranges.emplace_back(at, at + 900);
  const Lost lost(text, ranges);
  EXPECT_EQ(lost.found(text), ranges.size());
  EXPECT_EQ(lost.found(lines(10, 50, "before") + text), ranges.size()) << "it was captured later";
}

// Among lines that are all the same the bytes alone do not tell, but the distance from the last one does.
TEST(GapSearch, TheDistanceTellsWhereTheBytesDoNot) {
  std::string same;
  for (int i = 0; i < 500; ++i) same += "the same line again and again\n";
  const std::string text = lines(0, 50) + same + "one\n" + same + lines(50, 100);
  const std::size_t first = lines(0, 20).size();
  const std::size_t second = lines(0, 50).size() + same.size() - 2000;
  const Lost lost(text, {{first, first + 300}, {second, second + 2004}});
  EXPECT_EQ(lost.found(text), 2U);
}

// Such a place costs no search, and what comes behind it is found by itself.
TEST(GapSearch, PlacesOfUnknownLengthArePassedOver) {
  const std::string text = lines(0, 600);
  std::string captured;
  std::vector<GapPlace> gaps;
  for (int i = 0; i < 400; i += 20) {
    captured += lines(i, i + 15);
    gaps.push_back({captured.size(), 0});
  }
  captured += lines(400, 450);
  gaps.push_back({captured.size(), lines(450, 460).size()});
  captured += lines(460, 600);
  const auto found = find_gaps({captured, gaps, text, RuntimeFormat::kK8sFile, true});
  ASSERT_TRUE(found.back());
  EXPECT_FALSE(found.back()->approximate);
  EXPECT_EQ(found.back()->bytes, lines(450, 460));
  EXPECT_EQ(std::ranges::count_if(found, [](const auto& one) { return one.has_value(); }), 1);
}

TEST(GapSearch, AtTheEnd) {
  const std::string text = lines(0, 100);
  const Lost lost(text, {{text.size() - 100, text.size()}});
  EXPECT_EQ(lost.found(text), 1U);
  EXPECT_EQ(lost.found(text, RuntimeFormat::kK8sFile, false), 0U) << "more may come behind it";
}

// A source may lose bytes twice, with nothing between that was captured.
TEST(GapSearch, AtOnePlaceAreFilledInOrder) {
  const std::string text = lines(0, 100);
  const std::string captured = text.substr(0, 200) + text.substr(260);
  const std::vector<GapPlace> gaps{{200, 10}, {200, 30}, {200, 20}};
  const auto found = find_gaps({captured, gaps, text, RuntimeFormat::kK8sFile, true});
  ASSERT_TRUE(found[0] && found[1] && found[2]);
  EXPECT_EQ(found[0]->bytes + found[1]->bytes + found[2]->bytes, text.substr(200, 60));
  EXPECT_EQ(found[1]->bytes.size(), 30U);
  EXPECT_EQ(found[2]->at, 240U);
  EXPECT_FALSE(found[1]->approximate);
  const std::vector<GapPlace> broken{{200, 10}, {200, 0}, {200, 50}};
  const auto beside = find_gaps({captured, broken, text, RuntimeFormat::kK8sFile, true});
  EXPECT_TRUE(!beside[0] || beside[0]->approximate) << "nobody knows what passed between";
}

// Whoever read the pipe left before it had read the last bytes, so the runtime's file ends with what was captured.
TEST(GapSearch, AtAnEndThatTheTextDoesNotHaveIsNotExact) {
  const std::string tick = "tick, of which there are some\n";
  const std::string text = tick + "error boo\n" + tick;
  const std::vector<GapPlace> gaps{{tick.size(), 10 + tick.size()}};
  const auto found = find_gaps({tick, gaps, text, RuntimeFormat::kK8sFile, true});
  EXPECT_TRUE(!found[0] || found[0]->approximate);
  const std::vector<GapPlace> behind_little{{2, 8}};
  const auto little = find_gaps({"a\n", behind_little, "say\na\nerr a\na\n", RuntimeFormat::kK8sFile, true});
  EXPECT_TRUE(!little[0] || little[0]->approximate);
  const std::string before = lines(0, 20);
  const std::vector<GapPlace> at_end{{before.size(), 10}};
  const auto replaced =
      find_gaps({before, at_end, before + "caf\xEF\xBF\xBD an\n", RuntimeFormat::kJsonFile, true});
  EXPECT_TRUE(!replaced[0] || replaced[0]->approximate) << "the rest may not be written yet";
}

TEST(GapSearch, WhatTheRuntimeHasNotGotYetIsLeft) {
  const std::string text = lines(0, 100);
  const Lost lost(text, {{500, 800}, {2000, 2500}});
  EXPECT_EQ(lost.found(text.substr(0, 2400), RuntimeFormat::kCri, false), 1U);
  EXPECT_EQ(lost.found("", RuntimeFormat::kCri, false), 0U);
}

// However many gaps cannot be found, the work is bounded.
TEST(GapSearch, LooksForSoManyOnly) {
  const std::string text = lines(0, 20'000);
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t at = 1000; at + 900 < text.size(); at += 1000) ranges.emplace_back(at, at + 900);
  EXPECT_EQ(Lost(text, ranges).found(lines(0, 20'000, "another")), 0U);
}

}  // namespace
}  // namespace flowtap::flow
