// Bytes that are missing in front of all that was captured: exact only where nothing else is possible.
#include "stream/repair/runtime_files/beginning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

const std::string kAfter = "what was captured first, and more\n";

std::optional<Refill> find(std::string_view after, std::uint64_t length, const KeptText& kept,
                           std::string_view captured = {}) {
  return find_beginning({after, length, line_ends(captured.empty() ? after : captured)}, kept);
}

TEST(Beginning, IsExactWhereTheTextHasItAsItWasWritten) {
  const std::string lost = "one\r\ntwo\n";
  for (const RuntimeFormat format : {RuntimeFormat::kJsonFile, RuntimeFormat::kK8sFile})
    for (const std::string older : {"", "an older one\n"}) {
      const std::string text = older + lost + kAfter;
      const auto refill = find(kAfter, lost.size(), {.text = text, .format = format});
      ASSERT_TRUE(refill);
      EXPECT_EQ(refill->bytes, lost);
      EXPECT_EQ(refill->at, older.size());
      EXPECT_FALSE(refill->approximate);
      EXPECT_TRUE(
          find(kAfter, lost.size(), {.text = text, .format = format, .lacks_lines = true})->approximate);
      EXPECT_FALSE(find(kAfter, text.size(), {.text = text, .format = format})) << "the text has less";
    }
}

// Docker makes three bytes of one, so as many bytes of the text would not be all that is missing, or would begin amid such a one.
TEST(Beginning, WithBytesThatAreNoUtf8IsNotExact) {
  const std::string lost = "caf\xEF\xBF\xBD caf\xEF\xBF\xBD\n";  // "caf\xe9 caf\xe9\n", 10 bytes
  for (const std::string older : {"", "caf\xEF\xBF\xBD\n"})
    for (const bool from_start : {false, true}) {
      const std::string text = older + lost + kAfter;
      const auto refill =
          find(kAfter, 10, {.text = text, .format = RuntimeFormat::kJsonFile, .from_start = from_start});
      ASSERT_TRUE(refill);
      EXPECT_EQ(refill->bytes, lost);
      EXPECT_TRUE(refill->approximate);
    }
  const KeptText alone{.text = lost, .format = RuntimeFormat::kJsonFile, .from_start = true};
  ASSERT_TRUE(find("", 10, alone));
  EXPECT_EQ(find("", 10, alone)->bytes, lost);
  EXPECT_TRUE(find("", 10, alone)->approximate);
  EXPECT_FALSE(find("", 9, alone));
  EXPECT_EQ(find(kAfter, 10, {.text = lost + kAfter, .format = RuntimeFormat::kK8sFile})->bytes,
            lost.substr(4))
      << "conmon replaces none";
}

// Which line is the first of the missing ones is certain only if what was captured tells how lines end.
TEST(Beginning, WithReturnsThatContainerdHasDropped) {
  const std::string lost = "lost one\r\nlost two\r\n";
  const std::string text = "an older line\nlost one\nlost two\n";
  const std::string json = "{" + std::string(600, 'x');
  const auto unknown = find(json, lost.size(), {.text = text + json});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->bytes, lost);
  EXPECT_TRUE(unknown->approximate) << "no newline was captured";
  const auto known = find(json, lost.size(), {.text = text + json + "}\n"}, json + "}\r\n");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->bytes, lost);
  EXPECT_FALSE(known->approximate);
  const auto returns =
      find("captured, and long enough\r\n", lost.size(), {.text = text + "captured, and long enough\n"});
  ASSERT_TRUE(returns);
  EXPECT_EQ(returns->bytes, lost);
  EXPECT_FALSE(returns->approximate);
  const auto mixed = find(kAfter, lost.size(), {.text = text + kAfter});
  ASSERT_TRUE(mixed);
  EXPECT_TRUE(mixed->approximate) << "only what is missing has them";
  const auto kept = find("captured, and long enough\r\n", lost.size(),
                         {.text = "an older line\r\n" + lost + "captured, and long enough\r\n"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->bytes, lost) << "CRI-O keeps them";
  EXPECT_FALSE(kept->approximate);
  EXPECT_TRUE(find(kAfter, lost.size(),
                   {.text = text + kAfter, .format = RuntimeFormat::kK8sFile, .drops_returns = true})
                  ->approximate)
      << "a terminal's are left out in every format";
}

TEST(Beginning, OfTheWholeTextNeedsNoMoreThanItsLength) {
  const std::string x = "x\n";
  EXPECT_FALSE(find(x, 8, {.text = "one\ntwo\nx\n"})) << "x can be anywhere";
  const auto refill = find(x, 8, {.text = "one\ntwo\nx\n", .from_start = true});
  ASSERT_TRUE(refill);
  EXPECT_EQ(refill->bytes, "one\ntwo\n");
  EXPECT_FALSE(refill->approximate);
  const auto returns = find("x\r\n", 10, {.text = "one\ntwo\nx\n", .from_start = true});
  ASSERT_TRUE(returns);
  EXPECT_EQ(returns->bytes, "one\r\ntwo\r\n");
  EXPECT_FALSE(returns->approximate);
  EXPECT_TRUE(find(x, 10, {.text = "one\ntwo\nx\n", .from_start = true})->approximate)
      << "two bytes may be missing at the beginning";
  EXPECT_FALSE(find(x, 11, {.text = "one\ntwo\nx\n", .from_start = true}));
}

// Where nothing was captured, the text tells no place.
TEST(Beginning, OfAnOutputOfWhichNothingWasCaptured) {
  EXPECT_FALSE(find("", 10, {.text = "beat 0001\n"})) << "it may be older";
  const auto refill = find("", 10, {.text = "beat 0001\n", .from_start = true});
  ASSERT_TRUE(refill);
  EXPECT_EQ(refill->bytes, "beat 0001\n");
  EXPECT_FALSE(refill->approximate);
  EXPECT_TRUE(find("", 11, {.text = "beat 0001\n", .from_start = true})->approximate) << "or \"\\r\"";
  EXPECT_FALSE(find("", 12, {.text = "beat 0001\n", .from_start = true}));
  EXPECT_FALSE(find("", 5, {.text = "beat 0001\n", .from_start = true}));
}

TEST(Beginning, IsNotFoundBesideLinesOfAnEarlierTime) {
  const std::string text = "older\n" + kAfter + "lost\n";
  EXPECT_FALSE(find(kAfter, 5, {.text = text, .earliest = text.size() - 5})) << "not written yet";
  const std::string whole = text + kAfter;
  EXPECT_FALSE(find(kAfter, 5, {.text = whole})) << "twice";
  EXPECT_EQ(find(kAfter, 5, {.text = whole, .earliest = text.size()})->bytes, "lost\n");
}

// Lines of all kinds, from before the capture on, which begins with a line: what is exact is what was written.
TEST(Beginning, IsNeverExactAndWrong) {
  std::mt19937 random(3);
  const auto one_of = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::array<int, 3> exact{};  // by format
  int approximate = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t returns = one_of(3);  // none, all, or some
    const auto line = [&] {
      std::string text(one_of(12), 'a');
      for (char& c : text) c = one_of(6) == 0 ? '\xE9' : static_cast<char>('a' + one_of(3));
      return text + (returns == 1 || (returns == 2 && one_of(2) == 0) ? "\r\n" : "\n");
    };
    const auto some = [&](std::size_t most) {
      std::string text;
      for (std::size_t n = one_of(most); n > 0; --n) text += line();
      return text;
    };
    const std::string older = some(6);
    const std::string lost = line() + some(6);
    const std::string captured = some(3) + std::string(30, 'z') + line() + some(3);
    const auto format = static_cast<RuntimeFormat>(round % 3);
    std::string text;
    const std::string written = older + lost + captured;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (format == RuntimeFormat::kCri && written.substr(i, 2) == "\r\n") continue;
      if (format == RuntimeFormat::kJsonFile && written[i] == '\xE9')
        text += kReplacement;
      else
        text += written[i];
    }
    const auto refill = find(std::string_view(captured).substr(0, 512), lost.size(),
                             {.text = text, .format = format, .from_start = older.empty()}, captured);
    if (!refill) continue;
    if (refill->approximate) {
      ++approximate;
      continue;
    }
    ASSERT_EQ(refill->bytes, lost) << round << ' ' << older << '|' << lost << '|' << captured;
    ++exact.at(static_cast<std::size_t>(format));
  }
  EXPECT_GT(exact[0], 500);
  EXPECT_GT(exact[1], 20);
  EXPECT_GT(exact[2], 5000);
  EXPECT_GT(approximate, 500);
}

}  // namespace
}  // namespace flowtap::flow
