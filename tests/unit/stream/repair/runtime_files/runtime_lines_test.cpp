// Files of any bytes: whatever the pieces are, the lines are the same, and memory is bounded.
#include "stream/repair/runtime_files/runtime_lines.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tests/unit/stream/repair/runtime_files/runtime_kit.hpp"

namespace flowtap::flow {
namespace {

const std::string kHead = "2026-08-21T07:12:30.1Z stdout F ";

struct ReadLines {
  std::vector<Kept> lines;
  std::uint64_t skipped = 0;
  bool operator==(const ReadLines&) const = default;
};

ReadLines read_in_pieces(RuntimeFormat format, const std::string& bytes,
                         const std::function<std::size_t()>& piece) {
  ReadLines out;
  RuntimeLines lines(format);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string part = bytes.substr(at, piece());
    lines.add(part, [&out](const RuntimeLine& line) { out.lines.push_back(kept(line)); });
    at += part.size();
  }
  lines.finish();
  out.skipped = lines.skipped();
  return out;
}

TEST(RuntimeLines, WhateverThePiecesAre) {
  for (const RuntimeFormat format : {RuntimeFormat::kCri, RuntimeFormat::kJsonFile}) {
    std::string bytes =
        golden_runtime_file(format == RuntimeFormat::kCri ? "kubelet-main.log" : "json-file.log");
    bytes.append("junk\n\n").append(600'000, 'j').append("\n" + kHead).append(700'001, 'x').append("\n");
    bytes.append(kHead).append("a\0b\xff\r", 5).append("\n").append(kHead).append("cut");
    const ReadLines wanted = read_in_pieces(format, bytes, [&bytes] { return bytes.size(); });
    EXPECT_EQ(wanted.skipped, format == RuntimeFormat::kCri ? 4U : 6U);
    std::mt19937 random(7);
    for (const std::size_t most : {std::size_t{7}, std::size_t{16'385}, RuntimeLines::kMostHeld - 1,
                                   RuntimeLines::kMostHeld, RuntimeLines::kMostHeld + 1}) {
      EXPECT_EQ(read_in_pieces(format, bytes, [most] { return most; }), wanted) << most;
      EXPECT_EQ(read_in_pieces(format, bytes,
                               [&] { return std::uniform_int_distribution<std::size_t>(1, most)(random); }),
                wanted)
          << most;
    }
  }
}

TEST(RuntimeLines, ALongTextComesInParts) {
  for (const std::size_t size :
       {kMaxLine, kMaxLine + 1, 2 * kMaxLine, RuntimeLines::kMostHeld, 1'000'000UL}) {
    const std::string text(size, 'x');
    const auto lines =
        lines_in(RuntimeFormat::kCri, std::string(kHead).append(text).append("\n" + kHead + "next\n"));
    ASSERT_EQ(lines.size(), (size + kMaxLine - 1) / kMaxLine + 1);
    std::string joined;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      EXPECT_EQ(lines[i].full, i + 2 == lines.size());
      EXPECT_EQ(lines[i].time, lines.back().time);
      EXPECT_TRUE(lines[i].full || lines[i].text.size() == kMaxLine);
      joined += lines[i].text;
    }
    EXPECT_EQ(joined, text);
    EXPECT_EQ(lines.back().text, "next");
  }
}

// The memory is judged by what comes out, not by the allocator: a line that never ends is given or dropped on the way.
TEST(RuntimeLines, ALineWithoutEndIsNotWaitedFor) {
  const std::string block(1U << 20U, '\0');
  RuntimeLines text(RuntimeFormat::kCri);
  RuntimeLines junk(RuntimeFormat::kCri);
  RuntimeLines json(RuntimeFormat::kJsonFile);
  std::uint64_t given = 0;
  const auto take = [&given](const RuntimeLine& line) { given += line.text.size(); };
  text.add(kHead, take);
  json.add("{\"log\":\"", take);
  for (int i = 0; i < 64; ++i) {
    text.add(block, take);
    junk.add(block, take);
    json.add(block, take);
    EXPECT_GE(given + RuntimeLines::kMostHeld, (static_cast<std::uint64_t>(i) + 1) * block.size());
  }
  EXPECT_EQ(text.lines(), 1U);
  EXPECT_EQ(junk.skipped(), 1U);
  EXPECT_EQ(json.skipped(), 1U);
  for (RuntimeLines* lines : {&text, &junk}) {
    std::vector<Kept> behind;
    lines->add("\n" + kHead + "behind\n",
               [&behind](const RuntimeLine& line) { behind.push_back(kept(line)); });
    ASSERT_FALSE(behind.empty());
    EXPECT_EQ(behind.back().text, "behind");
  }
}

TEST(RuntimeLines, WhatHasNoNewlineIsNoLine) {
  RuntimeLines lines(RuntimeFormat::kCri);
  std::vector<Kept> out;
  const auto take = [&out](const RuntimeLine& line) { out.push_back(kept(line)); };
  lines.add(kHead + "whole\n" + kHead + "cu", take);
  EXPECT_EQ(lines.lines(), 1U);
  lines.finish();
  EXPECT_EQ(lines.skipped(), 1U);
  EXPECT_EQ(lines.lines(), 0U);
  lines.add(kHead + "next\n", take);
  EXPECT_EQ(out.size(), 2U);
  lines.finish();
  EXPECT_EQ(lines.skipped(), 1U);
}

}  // namespace
}  // namespace flowtap::flow
