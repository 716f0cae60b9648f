// Lines out of bytes: whatever the pieces are, the lines are the same.
#include "stream/lines/line_assembler.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace flowtap::flow {
namespace {

struct Line {
  std::string text;
  bool full = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const Line&) const = default;
};

// The lines of `bytes`, by the rule and not by the program.
std::vector<Line> lines_of(const std::string& bytes) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t newline = std::min(bytes.find('\n', at), bytes.size());
    for (; newline - at > kMaxLine; at += kMaxLine)
      lines.push_back({bytes.substr(at, kMaxLine), false, at, at + kMaxLine});
    const bool full = newline < bytes.size();
    lines.push_back({bytes.substr(at, newline - at), full, at, newline + (full ? 1 : 0)});
    at = newline + 1;
  }
  return lines;
}

std::vector<Line> assemble(const std::string& bytes, const std::function<std::size_t()>& piece) {
  LineAssembler assembler;
  std::vector<Line> lines;
  std::set<std::size_t> pieces;  // where they begin, which is their time
  const auto take = [&](const LineView& line) {
    lines.push_back({std::string(line.text), line.full, line.begin, line.end});
    EXPECT_EQ(line.time, *std::prev(pieces.upper_bound(line.end - 1))) << "of its last byte";
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string part = bytes.substr(at, piece());
    pieces.insert(at);
    assembler.add(part, at, take);
    at += part.size();
    EXPECT_EQ(assembler.next(), at);
    EXPECT_LE(assembler.unfinished(), kMaxLine);
  }
  assembler.finish(take);
  return lines;
}

TEST(LineAssembler, WhateverThePiecesAre) {
  std::string bytes = "one\n\ntwo\r\n";
  bytes += std::string("a\0b\xff", 4) + "\n";
  for (const std::size_t size :
       {kMaxLine - 1, kMaxLine, kMaxLine + 1, 2 * kMaxLine, 2 * kMaxLine + 1, std::size_t{40'000}})
    bytes += std::string(size, 'x') + "\n";
  bytes += "no newline";
  const auto wanted = lines_of(bytes);
  std::mt19937 random(7);
  for (const std::size_t most : {1U, 2U, 3U, 100U, 16'383U, 16'384U, 16'385U, 65'536U, 1'000'000U}) {
    EXPECT_EQ(assemble(bytes, [most] { return most; }), wanted) << most;
    EXPECT_EQ(assemble(bytes, [&] { return std::uniform_int_distribution<std::size_t>(1, most)(random); }),
              wanted)
        << most;
  }
}

TEST(LineAssembler, ALineHasTheTimeOfItsLastBytes) {
  LineAssembler assembler;
  std::vector<std::uint64_t> times;
  const auto take = [&times](const LineView& line) { times.push_back(line.time); };
  assembler.add("a", 1, take);
  assembler.add("b\nc\nd", 2, take);
  assembler.add("e", 3, take);
  assembler.finish(take);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{2, 2, 3}));
}

TEST(LineAssembler, GoesOnBehindAGap) {
  LineAssembler assembler;
  std::vector<Line> lines;
  const auto take = [&lines](const LineView& line) {
    lines.push_back({std::string(line.text), line.full, line.begin, line.end});
  };
  assembler.add("cut of", 1, take);
  assembler.finish(take);
  assembler.skip_to(100);
  assembler.add("f here\nnext\n", 2, take);
  EXPECT_EQ(lines, (std::vector<Line>{
                       {"cut of", false, 0, 6}, {"f here", true, 100, 107}, {"next", true, 107, 112}}));
}

}  // namespace
}  // namespace flowtap::flow
