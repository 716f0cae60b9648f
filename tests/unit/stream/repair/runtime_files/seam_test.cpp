// The place where captured bytes begin in what a runtime has kept.
#include "stream/repair/runtime_files/seam.hpp"

#include <gtest/gtest.h>

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

// A line "text\n", or a part without a newline; lines are a second apart from `first` on.
struct Line {
  std::string text;
  std::uint64_t time = 0;
};

// The text before the seam, with "|" if the seam is known by bytes.
std::string before(const SeamKey& key, const std::vector<Line>& lines,
                   RuntimeFormat format = RuntimeFormat::kCri) {
  Seam seam(key, format);
  std::string out;
  const auto take = [&out](const RuntimeLine& line) { append_bytes(out, line); };
  for (const Line& line : lines) {
    const bool full = line.text.ends_with('\n');
    const std::string_view text = std::string_view(line.text).substr(0, line.text.size() - (full ? 1 : 0));
    seam.add({line.time, "stdout", full, text}, take);
  }
  seam.finish(take);
  EXPECT_TRUE(seam.passed() || key.bytes.empty());
  return out + (seam.found() ? "|" : "");
}

std::vector<Line> seconds(const std::vector<std::string>& texts) {
  std::vector<Line> lines;
  for (const std::string& text : texts) lines.push_back({text, (lines.size() + 1) * kSecond});
  return lines;
}

TEST(Seam, AtALine) {
  const auto lines = seconds({"a\n", "b\n", "c\n", "d\n"});
  EXPECT_EQ(before({"c\nd\n", 3 * kSecond}, lines), "a\nb\n|");
  EXPECT_EQ(before({"a\nb\n", kSecond}, lines), "|") << "all of it was captured";
  EXPECT_EQ(before({"d\n", 4 * kSecond - 5'000'000}, lines), "a\nb\nc\n|") << "the runtime is later";
}

TEST(Seam, AmidALine) {
  EXPECT_EQ(before({"llo\nnext\n", 2 * kSecond}, seconds({"one\n", "hello\n", "next\n"})), "one\nhe|");
}

// The runtime had not read them yet when the capture began, so their times say nothing.
TEST(Seam, WhatTheRuntimeHasReadLater) {
  const auto lines = seconds({"a\n", "b\n", "c\n", "d\n", "e\n"});
  EXPECT_EQ(before({"d\ne\n", 2 * kSecond}, lines), "a\nb\nc\n|");
}

TEST(Seam, OfLinesThatAreAllTheSameByTime) {
  const std::vector<std::string> same(100, "tick\n");
  std::string key;
  for (int i = 0; i < 10; ++i) key += "tick\n";
  const std::string out = before({key, 41 * kSecond - 100'000}, seconds(same));
  EXPECT_EQ(out.size(), 40 * 5 + 1) << out;
  EXPECT_TRUE(out.ends_with("|"));
}

// conmon keeps what it has read before the newline came, with the time of that read.
TEST(Seam, OfALineThatWasReadInParts) {
  const auto lines = seconds({"one\n", "pro", "mpt> ", "yes\n", "two\n"});
  EXPECT_EQ(before({"prompt> yes\ntwo\n", 4 * kSecond}, lines, RuntimeFormat::kK8sFile), "one\n|");
  EXPECT_EQ(before({"mpt> yes\ntwo\n", 4 * kSecond}, lines, RuntimeFormat::kK8sFile), "one\npro|");
}

// A progress bar, or a download: the line stands in parts, and nothing comes behind them.
TEST(Seam, OfALineWhoseNewlineNeverComes) {
  std::string all;
  while (all.size() < 300'000) all += "\r" + std::to_string(all.size()) + " of 300000 bytes";
  const auto kept = [&all](std::size_t part) {
    std::vector<Line> parts;
    for (std::size_t at = 0; at < all.size(); at += part)
      parts.push_back({all.substr(at, part), (at / part + 1) * kSecond});
    return parts;
  };
  const auto key = [&all](std::size_t at, std::uint64_t time) {
    return SeamKey{all.substr(at, 16'384), time};
  };
  for (const std::size_t part : {1000UL, 8192UL, 16'384UL}) {
    EXPECT_EQ(before(key(0, (16'384 + part - 1) / part * kSecond - 50'000), kept(part)), "|") << part;
    for (const std::size_t at : {1UL, 100'000UL, 299'000UL}) {
      const std::uint64_t last = std::min(at + 16'384, all.size());
      EXPECT_TRUE(before(key(at, (last + part - 1) / part * kSecond - 50'000), kept(part)) ==
                  all.substr(0, at) + "|")
          << part << ' ' << at;
    }
  }
  all.assign(300'000, '#');
  EXPECT_EQ(before(key(0, 2 * kSecond - 50'000), kept(8192)), "|") << "each place is like the others";
}

// More than is held.
TEST(Seam, OfALongLineThatWasReadInPartsBeforeItWasCaptured) {
  std::string all;
  while (all.size() < 2'000'000) all += std::to_string(all.size()) + ' ';
  for (const std::size_t at : {520'000UL, 1'500'001UL}) {
    std::vector<Line> parts;
    for (std::size_t from = 0; from < all.size(); from += 100)
      parts.push_back({all.substr(from, 100), (from / 100 + 1) * kSecond});
    const SeamKey key{all.substr(at, 16'384), ((at + 16'383) / 100 + 1) * kSecond - 50'000};
    EXPECT_TRUE(before(key, parts) == all.substr(0, at) + "|") << at;
    parts.push_back({"\n", (parts.size() + 1) * kSecond});
    EXPECT_TRUE(before(key, parts) == all.substr(0, at) + "|") << at << ": the newline changes nothing";
  }
}

// All of its bytes were there before, so that none of the parts is held.
TEST(Seam, OfALongLineOfWhichOnlyTheNewlineWasCaptured) {
  std::string all;
  std::vector<Line> parts;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    parts.push_back({std::string(16'384, static_cast<char>('a' + i % 26)), i * kSecond});
    all += parts.back().text;
  }
  parts.push_back({"\n", 50 * kSecond});
  parts.push_back({"next\n", 51 * kSecond});
  EXPECT_TRUE(before({"\nnext\n", 50 * kSecond - 50'000}, parts) == all + "|");
}

// A test runner's dots, which are all the same: their times tell how many came before.
TEST(Seam, OfALineOfBytesThatAreAllTheSame) {
  std::vector<Line> dots;
  for (std::uint64_t i = 1; i <= 5100; ++i) dots.push_back({".", i * kSecond});
  const SeamKey key{std::string(100, '.'), 5100 * kSecond - 50'000};
  EXPECT_EQ(before(key, dots), std::string(5000, '.') + "|");
  dots.push_back({"\n", 5101 * kSecond});
  EXPECT_EQ(before(key, dots), std::string(5000, '.') + "|");
  EXPECT_EQ(before(key, {{std::string(5100, '.'), 5101 * kSecond}}), std::string(5000, '.') + "|")
      << "a runtime that keeps them when the writer has ended";
}

TEST(Seam, WhereTheRuntimeLags) {
  const auto lines = seconds({"a\n", "b\n", "c\n"});
  EXPECT_EQ(before({"c\nd\ne\n", 3 * kSecond}, lines), "a\nb\n|") << "it has some of it";
  EXPECT_EQ(before({"d\ne\n", 2 * kSecond}, lines), "a\nb\nc\n") << "it has none of it yet";
}

TEST(Seam, WhatIsRotatedAwayIsMissed) {
  EXPECT_EQ(before({"1\n2\n3\n", kSecond}, {{"8\n", 8 * kSecond}, {"9\n", 9 * kSecond}}), "");
}

TEST(Seam, OfAnOutputOfWhichNothingWasCaptured) {
  EXPECT_EQ(before({"", 3 * kSecond}, seconds({"a\n", "b\n", "c\n"})), "a\nb\n");
  EXPECT_EQ(before({"", ~std::uint64_t{0}}, seconds({"a\n", "b"})), "a\nb");
  // A terminal that was silent so far, and a follower that asks for its log. Nothing is held that could be looked at.
  EXPECT_EQ(before({"", 3 * kSecond, true}, seconds({"a\n", "b\n", "c\n"})), "a\nb\n");
  EXPECT_EQ(before({"", ~std::uint64_t{0}, true}, seconds({"a\n", "b"})), "a\nb");
  EXPECT_EQ(before({"", ~std::uint64_t{0}, true}, {}), "");
}

TEST(Seam, WithoutTheCarriageReturnsThatContainerdDrops) {
  const auto lines = seconds({"a\n", "b\n", "c\n"});
  EXPECT_EQ(before({"b\r\nc\r\n", 2 * kSecond}, lines), "a\n|");
  EXPECT_EQ(before({"b\r\nc\r\n", 2 * kSecond}, seconds({"a\r\n", "x\r\n", "b\r\n", "c\r\n"})), "a\r\nx\r\n|")
      << "and that CRI-O does not";
  EXPECT_EQ(before({"b\r\r\nc\r\r\n", 2 * kSecond}, seconds({"a\r\n", "b\r\n", "c\r\n"})), "a\r\n|")
      << "one of them";
  EXPECT_EQ(before({"b\r\r\nc\r\r\n", 2 * kSecond}, seconds({"a\r\r\n", "b\r\r\n", "c\r\r\n"})), "a\r\r\n|");
  EXPECT_EQ(before({"b\r", 2 * kSecond}, seconds({"a\n", "b\n"})), "a\n|") << "the newline was not captured";
  EXPECT_EQ(before({"c\r\nd\r\n", 3 * kSecond}, seconds({"a\r\n", "b\r", "\n", "c\r", "\n", "d\r", "\n"})),
            "a\r\nb\r\n|")
      << "where CRI-O has read it apart";
}

// A terminal's writer may be kept from going on while the runtime already reads.
TEST(Seam, WhereTheWriterIsLaterThanTheRuntime) {
  const auto lines = seconds({"a\n", "b\n", "c\n", "d\n", "e\n", "f\n"});
  const std::uint64_t later = 5 * kSecond + kSecond / 2;
  EXPECT_EQ(before({"e\nf\n", later, true}, lines), "a\nb\nc\nd\n|");
  EXPECT_EQ(before({"f\n", 6 * kSecond - kSecond / 10, true}, lines), "a\nb\nc\nd\ne\n|") << "the last";
  std::vector<Line> ticks;
  for (std::uint64_t i = 1; i <= 50; ++i) ticks.push_back({"tick\n", i * kSecond / 10});
  for (const std::uint64_t late : {0UL, 10'000'000UL, 40'000'000UL})
    EXPECT_EQ(before({"tick\ntick\n", 3 * kSecond + late, true}, ticks).size(), 29 * 5 + 1U) << late;
  EXPECT_EQ(before({"e\nf\n", later, false}, lines), "a\nb\nc\nd\ne\nf\n")
      << "what a pipe's reader has dated was there";
}

// Docker replaces these bytes, so they are not found again.
TEST(Seam, ByTimeWhereTheRuntimeHasChangedTheBytes) {
  const auto lines = seconds({"a\n", "\xef\xbf\xbd\n", "\xef\xbf\xbd\n"});
  EXPECT_EQ(before({"\xff\n\xfe\n", 2 * kSecond}, lines, RuntimeFormat::kJsonFile), "a\n");
}

// However much comes behind it, memory is bounded.
TEST(Seam, GivesUpBehindAWhile) {
  std::vector<Line> lines = {{"a\n", kSecond}};
  for (int i = 0; i < 100; ++i) lines.push_back({std::string(16'000, 'x') + "\n", 3 * kSecond});
  EXPECT_EQ(before({"never\n", 2 * kSecond}, lines), "a\n");
}

}  // namespace
}  // namespace flowtap::flow
