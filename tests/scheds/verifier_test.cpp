// How much the verifier goes through for each program of our schedulers, kept in verified_insns.tsv: a program that
// suddenly takes much more is close to being refused by some kernel.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "base/node/kernel_release.hpp"
#include "scheds/schedulers.hpp"
#include "tests/scheds/refused.hpp"
#include "tests/support/loaded_programs.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

using Insns = std::map<std::string, std::uint32_t>;  // by program

constexpr double kMostGrowth = 1.25;

// "6.18" from "6.18.15+deb13-cloud-amd64".
std::string series() {
  const std::string release = kernel_release();
  return release.substr(0, release.find('.', release.find('.') + 1));
}

// Lines of SERIES, PROGRAM, instructions.
Insns known() {
  Insns all;
  std::ifstream file(paths::in_sources("tests/scheds/verified_insns.tsv"));
  EXPECT_TRUE(file) << paths::in_sources("tests/scheds/verified_insns.tsv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string of;
    std::string program;
    std::uint32_t insns = 0;
    if (line.starts_with('#') || !(words >> of >> program >> insns) || of != series()) continue;
    all[program] = insns;
  }
  return all;
}

// The programs that the running scheduler has in the kernel.
Insns loaded() {
  Insns all;
  for (const bpf_prog_info& program : loaded_programs()) {
    const std::string name = name_of(program);
    // The only one of their programs that is a tracing program on some kernels (scheds/lib/taken.bpf.h).
    if (program.type == BPF_PROG_TYPE_STRUCT_OPS || name == "cpu_taken_by")
      all[name] = program.verified_insns;
  }
  return all;
}

class Verifier : public testing::TestWithParam<std::string_view> {};

TEST_P(Verifier, GoesThroughNotMuchMoreThanBefore) {
  if (refused_here()) return;
  const auto scheduler = scheds::start_scheduler(GetParam(), {});
  ASSERT_TRUE(scheduler) << scheduler.error().what;
  const Insns before = known();
  const Insns now = loaded();
  EXPECT_GE(now.size(), 7U);
  for (const auto& [program, insns] : now) {
    std::printf("%s\t%s\t%u\n", series().c_str(), program.c_str(), insns);
    const auto then = before.find(program);
    EXPECT_NE(then, before.end()) << "verified_insns.tsv has no line for " << program;
    if (then == before.end()) continue;
    EXPECT_LE(insns, then->second * kMostGrowth) << program;
    EXPECT_GE(insns * kMostGrowth, then->second) << program << ": the file is to say so";
  }
}

TEST(VerifierFile, HasNoLineOfAProgramThatIsGone) {
  if (refused_here()) return;
  Insns left = known();
  EXPECT_FALSE(left.empty());
  for (const std::string_view name : scheds::kSchedulerNames) {
    const auto scheduler = scheds::start_scheduler(name, {});
    ASSERT_TRUE(scheduler) << scheduler.error().what;
    for (const auto& [program, insns] : loaded()) left.erase(program);
  }
  for (const auto& [program, insns] : left)
    ADD_FAILURE() << "no scheduler has a program " << program << " on " << series();
}

INSTANTIATE_TEST_SUITE_P(, Verifier, testing::ValuesIn(scheds::kSchedulerNames),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace flowtap::test
