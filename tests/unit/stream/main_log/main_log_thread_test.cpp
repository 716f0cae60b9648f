// The main log on a thread of its own: all lines are there, in order, also over a rotation.
#include "stream/main_log/main_log_thread.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/files/content.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

using test::content;

TEST(MainLogThread, WritesAllBeforeItEnds) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::string all;
  {
    MainLogThread log({path, 1U << 20U, 1});
    log.start();
    for (int i = 0; i < 20'000; ++i) {
      const std::string text = "line " + std::to_string(i);
      log.write(text.substr(0, 3), false), log.write(text.substr(3), true);
      all += text + "\n";
    }
    log.write("", true), log.write("the rest", false);
  }
  EXPECT_EQ(content(path), all + "\nthe rest");
}

// The process was killed after it had written lines that the flows' index did not have yet. The lines come again, and only those
// that are not in the file are written, wherever it was cut off.
TEST(MainLogThread, WhatAnEarlierProcessHasWrittenIsNotWrittenAgain) {
  const std::string committed = "a\nold 1\nold 2\n";
  const std::string again = "I 1 x\nI 1 x\n\nI 2 line\nI 3\n";
  for (std::size_t written = 0; written <= again.size(); ++written)
    for (const bool rotated : {false, true}) {
      const test::TempDir dir;
      const std::string path = dir / "main.log";
      const std::string before = committed + again.substr(0, written);
      // The rotation was between two lines.
      const std::size_t first = rotated ? before.rfind('\n', before.size() - 2) + 1 : 0;
      if (rotated) std::ofstream(path + ".1") << before.substr(0, first);
      std::ofstream(path) << before.substr(first);
      {
        MainLogThread log({path, 1U << 20U, 2});
        log.start();
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = again.find('\n', begin)) != std::string::npos; begin = end + 1)
          log.write(again.substr(begin, end - begin), true);
        log.write("I 4", true);
        log.replayed();
        log.write("I 3", true), log.write("I 5", true);
      }
      EXPECT_EQ((rotated ? content(path + ".1") : "") + content(path), committed + again + "I 4\nI 3\nI 5\n")
          << written << rotated;
    }
}

TEST(MainLogThread, WhatStandsEarlierInTheFileIsNotTheEnd) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::ofstream(path + ".1") << "\nx\n";  // and a rotation was interrupted
  {
    MainLogThread log({path, 1U << 20U, 2});
    log.start();
    log.write("", true), log.write("y", true);
    log.replayed();
  }
  EXPECT_EQ(content(path), "\ny\n");
}

TEST(MainLogThread, WhatARotationMovedAwayIsNotWrittenAgain) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::ofstream(path + ".1") << "old\nI 1\nI 2\n";
  {
    MainLogThread log({path, 1U << 20U, 2});
    log.start();
    for (const char* line : {"I 1", "I 2", "I 3"}) log.write(line, true);
    log.replayed();
  }
  EXPECT_EQ(content(path), "I 3\n");
}

// The process was killed before it had written lines that the main log's flow already has.
TEST(MainLogThread, WhatAnEarlierProcessHasNotWrittenIsWritten) {
  const std::string flows = "I 1\nI 2 long\nI 3\nI 4\n";
  for (std::size_t written = 4; written <= flows.size(); ++written)
    for (const bool again : {false, true}) {
      const test::TempDir dir;
      const std::string path = dir / "main.log";
      const std::string before = "I 0\nI 3\n" + flows;
      std::ofstream(path) << before.substr(0, before.size() - flows.size() + written);
      {
        MainLogThread log({path, 1U << 20U, 2});
        log.start();
        log.begin_behind(flows);
        if (again) log.write("I 5", true);
        log.replayed();
        log.write("I 6", true);
      }
      EXPECT_EQ(content(path), before + (again ? "I 5\n" : "") + "I 6\n") << written << again;
    }
}

// Lines that come again are left out even if the flow does not have them yet.
TEST(MainLogThread, WhatEndsBehindTheFlowIsNotWrittenAgain) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::ofstream(path) << "I 1\nI 2\nI 3\n";
  {
    MainLogThread log({path, 1U << 20U, 2});
    log.start();
    log.begin_behind("I 1\nI 2\n");
    log.write("I 3", true), log.write("I 4", true);
    log.replayed();
  }
  EXPECT_EQ(content(path), "I 1\nI 2\nI 3\nI 4\n");
}

// A line that is like many others tells nothing. The lines before it in the file are not in the flow, so this is not its place.
TEST(MainLogThread, ALineLikeOthersIsNoPlace) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::ofstream(path) << "{\n  what somebody has edited\n}\n";
  {
    MainLogThread log({path, 1U << 20U, 2});
    log.start();
    log.begin_behind("I 1 {\n}\n");
    log.write("I 2 {", true), log.write("}", true), log.write("I 3", true);
    log.replayed();
  }
  EXPECT_EQ(content(path), "{\n  what somebody has edited\n}\nI 2 {\n}\nI 3\n");
}

TEST(MainLogThread, AFileThatWasBegunAnewHasNothingThatIsLongAgo) {
  for (const std::string there : {"", "others\n"}) {
    const test::TempDir dir;
    const std::string path = dir / "main.log";
    std::ofstream(path) << there;
    {
      MainLogThread log({path, 1U << 20U, 2});
      log.start();
      log.begin_behind("I 1\nI 2\n");
      log.write("I 3", true);
      log.replayed();
    }
    EXPECT_EQ(content(path), there + "I 3\n");
  }
}

TEST(MainLogThread, OfALongFileTheEndCounts) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  std::string before;
  while (before.size() < MainLogThread::kMostWaiting)
    before += "line " + std::to_string(before.size()) + "\n";
  std::ofstream(path) << before << "last\n";
  {
    MainLogThread log({path, std::uint64_t{1} << 30U, 1});
    log.start();
    log.write("last", true), log.write("line 0", true);
    log.replayed();
  }
  EXPECT_TRUE(content(path) == before + "last\nline 0\n");
}

TEST(MainLogThread, IsRotatedBetweenLines) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  {
    MainLogThread log({path, 100, 2});
    log.start();
    for (int i = 10; i < 40; ++i) log.write("line " + std::to_string(i), true);
  }
  EXPECT_TRUE(content(path + ".1").ends_with('\n'));
  EXPECT_EQ(content(path + ".1").size() % 8, 0U);
  EXPECT_TRUE(content(path).ends_with("line 39\n"));
}

TEST(MainLogThread, WhatCannotWaitIsCounted) {
  const test::TempDir dir;
  MainLogThread log({dir / "main.log", 1U << 20U, 1});
  log.start();
  log.write(std::string(MainLogThread::kMostWaiting, 'x'), true);
  EXPECT_EQ(log.lost_bytes(), MainLogThread::kMostWaiting + 1);
}

}  // namespace
}  // namespace flowtap
