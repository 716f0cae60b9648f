// The main log by a thread of its own: all lines, in order, between whose it is rotated.
#include "daemon/stream/main_log_thread.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.hpp"

namespace flowtap {
namespace {

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MainLogThread, WritesAllBeforeItEnds) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::string all;
  {
    MainLogThread log({path, 1U << 20U, 1});
    for (int i = 0; i < 20'000; ++i) {
      const std::string text = "line " + std::to_string(i);
      log.write(text.substr(0, 3), false), log.write(text.substr(3), true);
      all += text + "\n";
    }
    log.write("", true), log.write("the rest", false);
  }
  EXPECT_EQ(content(path), all + "\nthe rest");
}

TEST(MainLogThread, IsRotatedBetweenLines) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  {
    MainLogThread log({path, 100, 2});
    for (int i = 10; i < 40; ++i) log.write("line " + std::to_string(i), true);
  }
  EXPECT_TRUE(content(path + ".1").ends_with('\n'));
  EXPECT_EQ(content(path + ".1").size() % 8, 0U);
  EXPECT_TRUE(content(path).ends_with("line 39\n"));
}

TEST(MainLogThread, WhatCannotWaitIsCounted) {
  const test::TempDir dir;
  MainLogThread log({dir / "main.log", 1U << 20U, 1});
  log.write(std::string(MainLogThread::kMostWaiting, 'x'), true);
  EXPECT_EQ(log.lost_bytes(), MainLogThread::kMostWaiting + 1);
}

}  // namespace
}  // namespace flowtap
