// flowtap-sched as a person runs it, as far as that needs no kernel: what it says about itself, and to a wrong command
// line.
#include <gtest/gtest.h>

#include <ostream>

#include "scheds/names.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::scheds {
namespace {

Outcome flowtap_sched(const std::string& arguments) {
  return shell(paths::flowtap_sched() + " " + arguments + " 2>&1");
}

struct Wrong {
  const char* name;
  const char* words;
  const char* says;
};

std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
  return out << wrong.name;
}

class WrongWords : public testing::TestWithParam<Wrong> {};

TEST_P(WrongWords, AreToldInOneSentenceWithAHint) {
  const Outcome run = flowtap_sched(GetParam().words);
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.output, GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(FlowtapSched, WrongWords,
                         testing::Values(Wrong{"NoScheduler", "",
                                               "flowtap-sched: no scheduler is named\n"
                                               "hint: flowtap-sched NAME, one of: domain, fifo\n"},
                                         Wrong{"OnlyAFlag", "--report",
                                               "flowtap-sched: no scheduler is named\n"
                                               "hint: flowtap-sched NAME, one of: domain, fifo\n"},
                                         Wrong{"UnknownScheduler", "nonsense",
                                               "flowtap-sched: there is no scheduler 'nonsense'\n"
                                               "hint: the schedulers are: domain, fifo\n"},
                                         Wrong{"UnknownFlag", "domain --nonsense",
                                               "flowtap-sched: unknown flag \"--nonsense\"\n"
                                               "hint: flowtap-sched --help lists all flags\n"},
                                         Wrong{"UnknownFlagAlone", "--nonsense",
                                               "flowtap-sched: unknown flag \"--nonsense\"\n"
                                               "hint: flowtap-sched --help lists all flags\n"},
                                         Wrong{"TwoSchedulers", "domain fifo",
                                               "flowtap-sched: unexpected argument \"fifo\"\n"
                                               "hint: the kernel runs one scheduler at a time\n"},
                                         Wrong{"AValueForAFlagThatHasNone", "domain --report=5",
                                               "flowtap-sched: --report takes no value\n"
                                               "hint: leave out the = and what follows it\n"},
                                         Wrong{"WhatSteersATerminal", "\"$(printf '\\033[2J')\"",
                                               "flowtap-sched: there is no scheduler '\\x1b[2J'\n"
                                               "hint: the schedulers are: domain, fifo\n"}),
                         [](const auto& wrong) { return std::string(wrong.param.name); });

TEST(FlowtapSched, ItsHelpNamesEverySchedulerAndEveryFlag) {
  const Outcome run = flowtap_sched("--help");
  EXPECT_EQ(run.exit, 0);
  for (const std::string_view name : kSchedulerNames) EXPECT_TRUE(run.output.contains(name)) << run.output;
  for (const char* flag : {"SCHEDULER", "--report", "--version", "--help"})
    EXPECT_TRUE(run.output.contains(flag)) << run.output;
  EXPECT_TRUE(run.output.contains("Usage: flowtap-sched [OPTIONS] SCHEDULER\n")) << run.output;
}

TEST(FlowtapSched, ItSaysItsVersion) {
  const Outcome run = flowtap_sched("--version");
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.output, FLOWTAP_VERSION "\n");
}

}  // namespace
}  // namespace flowtap::scheds
