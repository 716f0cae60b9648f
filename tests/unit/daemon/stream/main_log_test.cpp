#include "daemon/stream/main_log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.hpp"

namespace flowtap {
namespace {

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MainLog, IsRotatedBetweenLines) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  MainLog log({path, 100, 3});
  std::string all;
  for (int i = 0; i < 40; ++i) {
    log.write("line " + std::to_string(i), true);
    all += "line " + std::to_string(i) + "\n";
  }
  const std::string kept = content(path + ".2") + content(path + ".1") + content(path);
  EXPECT_TRUE(all.ends_with(kept));
  EXPECT_GT(kept.size(), 200U);
  EXPECT_LE(content(path + ".1").size(), 100U);
  EXPECT_FALSE(std::filesystem::exists(path + ".3"));
  EXPECT_EQ(log.lost_bytes(), 0U);
}

TEST(MainLog, GoesOnInTheFileThatIsThereAndInANewOne) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  MainLog({path, 1000, 1}).write("one", true);
  MainLog log({path, 1000, 1});
  log.write("two", true);
  EXPECT_EQ(content(path), "one\ntwo\n");
  std::filesystem::rename(path, path + ".old");
  log.write("still", true);
  std::filesystem::remove(path + ".old");
  log.write("thr", false), log.write("ee", true);
  EXPECT_EQ(content(path), "three\n");
}

TEST(MainLog, WhatCannotBeWrittenIsCounted) {
  const test::TempDir dir;
  MainLog log({dir / "nowhere/main.log", 1000, 1});
  log.write("12345", true);
  EXPECT_EQ(log.lost_bytes(), 6U);
  std::filesystem::create_directory(dir / "nowhere");
  log.write("12345", true);
  EXPECT_EQ(log.lost_bytes(), 6U);
  EXPECT_EQ(content(dir / "nowhere/main.log"), "12345\n");
}

}  // namespace
}  // namespace flowtap
