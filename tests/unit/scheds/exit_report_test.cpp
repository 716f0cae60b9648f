#include "scheds/lib/exit_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace flowtap::scheds {
namespace {

ftap_exit left(long long kind, const char* reason, const char* message, long long code = 0) {
  ftap_exit exit{};
  exit.kind = kind;
  exit.code = code;
  std::strncpy(exit.reason, reason, sizeof(exit.reason));
  std::strncpy(exit.message, message, sizeof(exit.message));
  return exit;
}

TEST(ExitReport, AStallSaysWhoStoodStill) {
  const Exit exit = read_exit(left(1026, "runnable task stall", "victim[164] failed to run for 4.460s"));
  EXPECT_EQ(exit.kind, "error_stall");
  EXPECT_EQ(exit.sentence, "runnable task stall: victim[164] failed to run for 4.460s");
  EXPECT_FALSE(exit.wanted);
  EXPECT_FALSE(exit.restart);
}

TEST(ExitReport, SysRqAndTheLoaderAreWanted) {
  EXPECT_TRUE(read_exit(left(67, "disabled by sysrq-S", "")).wanted);
  EXPECT_TRUE(read_exit(left(64, "unregistered from user space", "")).wanted);
  EXPECT_EQ(read_exit(left(64, "unregistered from user space", "")).sentence, "unregistered from user space");
}

TEST(ExitReport, ACpuThatComesAsksForANewStart) {
  constexpr long long kHotplugRestart = (1LL << 48U) | (1LL << 32U);
  const Exit exit = read_exit(left(66, "unregistered from the main kernel",
                                   "cpu 1 going online, exiting scheduler", kHotplugRestart));
  EXPECT_EQ(exit.kind, "unreg_kern");
  EXPECT_TRUE(exit.restart);
}

TEST(ExitReport, AKindOfAKernelToComeIsOther) {
  const Exit exit = read_exit(left(4711, "", ""));
  EXPECT_EQ(exit.kind, "other");
  EXPECT_EQ(exit.sentence, "other") << "never an empty sentence";
  EXPECT_FALSE(exit.wanted);
}

TEST(ExitReport, EveryKindHasALabel) {
  for (long long kind = -1; kind < 2000; ++kind)
    EXPECT_NE(std::ranges::find(exit_kinds(), read_exit(left(kind, "", "")).kind), exit_kinds().end())
        << kind;
}

TEST(ExitReport, TextsThatFillTheirRoomOrHoldControlCharactersAreSafe) {
  ftap_exit exit{};
  exit.kind = 1024;
  std::ranges::fill(exit.reason, 'x');
  std::ranges::fill(exit.message, '\x1b');
  const Exit said = read_exit(exit);
  EXPECT_TRUE(said.sentence.starts_with(std::string(sizeof(exit.reason), 'x') + ": "));
  EXPECT_FALSE(said.sentence.contains('\x1b'));
}

}  // namespace
}  // namespace flowtap::scheds
