#include "stream/main_log/main_log.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/support/files/content.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

using test::content;

// While it lives, files cannot grow, as if the file system were full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

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

// Something else has the name of the file's successor. The content of the file goes, and is counted.
TEST(MainLog, KeepsToItsBoundThoughItCannotBeRotated) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::filesystem::create_directory(path + ".1");
  MainLog log({path, 100, 2});
  std::string all;
  for (int i = 0; i < 40; ++i) {
    log.write("line " + std::to_string(i), true);
    all += "line " + std::to_string(i) + "\n";
    EXPECT_LE(content(path).size(), 100U);
  }
  EXPECT_TRUE(all.ends_with(content(path)));
  EXPECT_EQ(log.lost_bytes() + content(path).size(), all.size());
  std::filesystem::remove(path + ".1");
  for (int i = 0; i < 20; ++i) log.write("line " + std::to_string(i), true);
  EXPECT_GT(content(path + ".1").size(), 50U);
}

// Only half a line was written, and then there is room again.
TEST(MainLog, WhatComesBehindALineThatWasCutIsALineOfItsOwn) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  MainLog log({path, 1U << 20U, 2});
  const std::string line(100, 'a');
  {
    const SmallFiles small(150);
    log.write(line, true), log.write(line, true), log.write("lost", true);
  }
  EXPECT_EQ(log.lost_bytes(), 101U - 49U + 5U);
  log.write("next", true);
  log.write("part", false), log.write(" and rest", true);
  EXPECT_EQ(content(path), line + "\n" + line.substr(0, 49) + "\nnext\npart and rest\n");
  {
    const SmallFiles small(content(path).size() + 5);
    log.write("half", false), log.write("lost", true);
  }
  log.write("last", true);
  EXPECT_TRUE(content(path).ends_with("\nhalfl\nlast\n")) << content(path);
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

TEST(MainLog, WhatSomebodyHasMovedAwayStaysAsItIs) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  MainLog log({path, 10, 1});
  log.write("one", true);
  std::filesystem::rename(path, path + ".old");
  log.write("two", true), log.write("three", true);
  EXPECT_EQ(content(path + ".old"), "one\ntwo\n");
  EXPECT_EQ(content(path), "three\n");
  EXPECT_EQ(log.lost_bytes(), 0U);
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
