// The bytes missing between two sides: found exactly, nearly, or not at all.
#include "stream/repair/runtime_files/refill.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

namespace flowtap::flow {
namespace {

// Lines of a log, all of them different; `end` is what ends each.
std::string log_of(int lines, const std::string& end = "\n") {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += "I0821 07:12:30." + std::to_string(100'000 + i) +
            "       1 a.go:1] \"message\" n=" + std::to_string(i * i) + end;
  return text;
}

std::string without(std::string text, char c) {
  std::erase(text, c);
  return text;
}

constexpr std::size_t kSide = 200;

Gap gap_in(std::string_view written, std::size_t from, std::size_t size) {
  const std::size_t before = std::min(from, kSide);
  return {written.substr(from - before, before), written.substr(from + size, kSide), size};
}

TEST(Refill, IsExactWhereverTheGapIs) {
  const std::string written = log_of(200);
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const std::size_t from = std::uniform_int_distribution<std::size_t>(0, written.size() - kSide)(random);
    const std::size_t size =
        std::uniform_int_distribution<std::size_t>(1, written.size() - kSide - from + 1)(random);
    for (const RuntimeFormat format :
         {RuntimeFormat::kCri, RuntimeFormat::kJsonFile, RuntimeFormat::kK8sFile}) {
      const auto refill = find_missing(gap_in(written, from, size), written, format);
      ASSERT_TRUE(refill) << from << ' ' << size;
      EXPECT_EQ(refill->bytes, written.substr(from, size));
      EXPECT_FALSE(refill->approximate);
    }
  }
}

TEST(Refill, PutsBackTheCarriageReturnsThatContainerdDrops) {
  const std::string written = log_of(100, "\r\n");
  const std::string text = without(written, '\r');
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {  // the edges of the gap between "\r" and "\n" too
    const std::size_t from = std::uniform_int_distribution<std::size_t>(kSide, 2 * kSide)(random);
    const std::size_t size = std::uniform_int_distribution<std::size_t>(1, 1000)(random);
    const auto refill = find_missing(gap_in(written, from, size), text, RuntimeFormat::kCri);
    ASSERT_TRUE(refill) << from << ' ' << size;
    EXPECT_EQ(refill->bytes, written.substr(from, size));
    EXPECT_FALSE(refill->approximate);
  }
  EXPECT_FALSE(find_missing(gap_in(written, 500, 100), text, RuntimeFormat::kK8sFile)) << "conmon drops none";
}

TEST(Refill, SomeCarriageReturnsAreNotKnown) {
  const std::string before = log_of(10) + "and before it\r\n";
  const std::string after = "and then\r\n" + log_of(5, "\n").substr(0, 100) + "the other side";
  const std::string written = before + "one\r\ntwo\nthree\r\n" + after;
  const auto refill = find_missing({before, after, 17}, without(written, '\r'), RuntimeFormat::kCri);
  ASSERT_TRUE(refill);
  EXPECT_EQ(refill->bytes, "one\ntwo\nthree\n");
  EXPECT_TRUE(refill->approximate);
}

TEST(Refill, AmongIdenticalLinesOnlyTheDistanceCounts) {
  std::string written = "begin\n";
  for (int i = 0; i < 200'000; ++i) written += "y\n";
  const Gap gap{std::string_view(written).substr(1000, kSide), std::string_view(written).substr(1000, kSide),
                100'000};
  const auto exact = find_missing(gap, written, RuntimeFormat::kCri);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->bytes, written.substr(1000, 100'000));
  EXPECT_FALSE(exact->approximate);
  Gap odd = gap;
  odd.length = 100'001;
  EXPECT_FALSE(find_missing(odd, written, RuntimeFormat::kK8sFile)) << "any other distance would do as well";
  odd.length = written.size();
  EXPECT_FALSE(find_missing(odd, written, RuntimeFormat::kCri));
}

TEST(Refill, TwoAnswersAreNoCertainOne) {
  std::string ys;
  for (int i = 0; i < 1000; ++i) ys += "y\n";
  const std::string text = ys + "x\n" + ys;
  const Gap gap{std::string_view(ys).substr(0, kSide), std::string_view(ys).substr(0, kSide), 500};
  const auto refill = find_missing(gap, text, RuntimeFormat::kCri);
  ASSERT_TRUE(refill);
  EXPECT_TRUE(refill->approximate);
  const std::string left = "what was left of it|";
  const std::string right = "|and right of it ";
  const std::string twice = left + "abc" + right + left;
  EXPECT_FALSE(find_missing({left, right, 3}, twice + "abc" + right, RuntimeFormat::kCri)->approximate);
  EXPECT_TRUE(find_missing({left, right, 3}, twice + "abd" + right, RuntimeFormat::kCri)->approximate);
}

// It is compared with the rule, written down plainly: every place counts.
TEST(Refill, EveryPlaceCounts) {
  std::mt19937 random(11);
  int certain = 0;
  int uncertain = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    while (text.size() < 300) text += random() % 40 == 0 ? "x" : random() % 8 == 0 ? "zzz" : "yy";
    const std::string side(12, 'y');
    const std::size_t length = 1 + random() % 60;
    std::set<std::string> found;
    std::string first;
    for (std::size_t at = side.size(); at + length + side.size() <= text.size(); ++at) {
      if (text.compare(at - side.size(), side.size(), side) != 0 ||
          text.compare(at + length, side.size(), side) != 0)
        continue;
      if (found.empty()) first = text.substr(at, length);
      found.insert(text.substr(at, length));
    }
    const auto refill = find_missing({side, side, length}, text, RuntimeFormat::kK8sFile);
    if (found.empty()) continue;
    ASSERT_TRUE(refill);
    EXPECT_EQ(refill->bytes, first);
    EXPECT_EQ(refill->approximate, found.size() > 1);
    ++(found.size() > 1 ? uncertain : certain);
  }
  EXPECT_GT(certain, 50);
  EXPECT_GT(uncertain, 100);
}

TEST(Refill, AFewBytesAreNoCertainAnswer) {
  const auto refill = find_missing({"ab", "cd", 2}, "..ab..cd..", RuntimeFormat::kCri);
  ASSERT_TRUE(refill);
  EXPECT_TRUE(refill->approximate);
}

TEST(Refill, TheBestMatchIsSaidToBeOne) {
  const std::string written = log_of(100);
  const Gap gap = gap_in(written, 1000, 1500);
  std::string text = written;
  text.erase(1200, 300);  // the runtime has lost some of it
  const auto less = find_missing(gap, text, RuntimeFormat::kCri);
  ASSERT_TRUE(less);
  EXPECT_EQ(less->bytes, text.substr(1000, 1200));
  EXPECT_TRUE(less->approximate);
  // The file begins in the middle of what is known before the gap.
  const auto rotated = find_missing(gap, std::string_view(written).substr(900), RuntimeFormat::kCri);
  ASSERT_TRUE(rotated);
  EXPECT_EQ(rotated->bytes, written.substr(1000, 1500));
  EXPECT_TRUE(rotated->approximate);
  // It is not known which of the two is behind the gap.
  EXPECT_FALSE(find_missing(gap, text + std::string(gap.after), RuntimeFormat::kCri));
  // Bytes that were never written cannot be the missing ones.
  text = written;
  text.insert(1200, "never written");
  EXPECT_FALSE(find_missing(gap, text, RuntimeFormat::kCri));
}

TEST(Refill, DockerMakesBytesThatAreNoUtf8Longer) {
  const std::string before = log_of(5);
  const std::string after = "the other side, and so on";
  const auto refill = find_missing({before, after, 4}, before + "\xEF\xBF\xBD\xEF\xBF\xBD!\n" + after,
                                   RuntimeFormat::kJsonFile);
  ASSERT_TRUE(refill);
  EXPECT_EQ(refill->bytes, "\xEF\xBF\xBD\xEF\xBF\xBD!\n");
  EXPECT_TRUE(refill->approximate);
}

TEST(Refill, OrNothing) {
  const std::string written = log_of(100);
  const Gap gap = gap_in(written, 1000, 1500);
  for (const std::string& text :
       {std::string(), std::string("x"), written.substr(0, 1000), written.substr(2500),
        written.substr(0, 1500), written.substr(2500) + written.substr(0, 1000),
        written.substr(0, 1000) + written.substr(2500)})
    EXPECT_FALSE(find_missing(gap, text, RuntimeFormat::kCri)) << text.size();
  EXPECT_FALSE(find_missing({"ab", "cd", 5}, "ab..cd", RuntimeFormat::kCri))
      << "too little to be sure of anything";
  EXPECT_FALSE(find_missing({written, written, ~std::uint64_t{0}}, written, RuntimeFormat::kJsonFile));
}

TEST(Refill, AnEmptySideIsTheStartOrTheEnd) {
  const std::string written = log_of(20);
  EXPECT_EQ(
      find_missing({"", std::string_view(written).substr(300, 50), 300}, written, RuntimeFormat::kCri)->bytes,
      written.substr(0, 300));
  const auto end = find_missing({std::string_view(written).substr(0, 300), "", written.size() - 300}, written,
                                RuntimeFormat::kCri);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->approximate);
  EXPECT_EQ(end->bytes, written.substr(300));
  EXPECT_TRUE(find_missing({std::string_view(written).substr(0, 300), "", written.size()}, written,
                           RuntimeFormat::kCri)
                  ->approximate)
      << "the file has less than there was";
  EXPECT_FALSE(
      find_missing({std::string_view(written).substr(0, 300), "", 100}, written, RuntimeFormat::kCri))
      << "the text does not end there";
  EXPECT_FALSE(
      find_missing({"", std::string_view(written).substr(300, 50), 200}, written, RuntimeFormat::kCri))
      << "nor does it begin there";
}

}  // namespace
}  // namespace flowtap::flow
