// Logs in, answers out, as files.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "golden.hpp"
#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::Case;
using test::cases;
using test::golden;
using test::logs_of;

TEST(DiagnosisGolden, Answers) {
  ASSERT_GT(cases().size(), 8U);
  for (const Case& one : cases()) {
    const auto expected = boost::json::parse(golden("diagnosis/" + one.expected));
    for (const std::size_t write : {100U, 4096U}) {
      std::vector<std::string> logs = logs_of(one);
      std::ranges::sort(logs);
      do {
        DiagnosisStore store;
        for (const std::string& log : logs) test::read(store, log, write);
        EXPECT_EQ(boost::json::parse(test::answer(store, one.pod)), expected)
            << one.logs << ' ' << one.pod << ": " << test::answer(store, one.pod);
      } while (std::ranges::next_permutation(logs).found);
    }
  }
}

// The members that evidence adds beside the answer.
TEST(DiagnosisGolden, Attempts) {
  const auto all = cases("attempts/cases.tsv");
  ASSERT_GT(all.size(), 4U);
  for (const Case& one : all) {
    std::vector<std::string> logs = logs_of(one);
    std::ranges::sort(logs);
    do {
      DiagnosisStore store;
      for (const std::string& log : logs) test::read(store, log);
      auto told = boost::json::parse(test::answer(store, one.pod, true)).as_object();
      for (const char* name : {"status", "filter", "bind"}) EXPECT_EQ(told.erase(name), 1U);
      EXPECT_EQ(told, boost::json::parse(golden("attempts/" + one.expected)))
          << one.logs << ' ' << one.pod << ": " << boost::json::serialize(told);
    } while (std::ranges::next_permutation(logs).found);
  }
}

// The members that evidence adds within the answer.
TEST(DiagnosisGolden, Evidence) {
  const auto all = cases("evidence/cases.tsv");
  ASSERT_GT(all.size(), 4U);
  for (const Case& one : all) {
    DiagnosisStore store;
    for (const std::string& log : logs_of(one)) test::read(store, log);
    const auto told = boost::json::parse(test::answer(store, one.pod, true)).as_object();
    const auto expected = boost::json::parse(golden("evidence/" + one.expected)).as_object();
    for (const char* name : {"filter", "bind"})
      EXPECT_EQ(told.at(name), expected.at(name))
          << one.logs << ' ' << one.pod << ": " << boost::json::serialize(told);
  }
}

// Other pods' attempts, text and unfinished blocks change nothing, whether they stand before a log, behind it or between its
// records.
TEST(DiagnosisGolden, OtherRecordsChangeNothing) {
  const std::string other = test::log_of(
      {R"("NodeUnfitPod" pod="ns/other" node="node1" reason="1/1 CardInsufficientCore")",
       "plain text\nof two lines",
       R"("Event occurred" object="ns/other" kind="Pod" reason="FilteringFailed" message="no available node, 9 nodes do not meet")",
       "\"block\" err=<\n\t\"NodeFitPod\" pod=\"default/gpu-pod\" node=\"x\" score=9"});
  for (const Case& one : cases()) {
    DiagnosisStore plain;
    DiagnosisStore store;
    for (const std::string& log : logs_of(one)) {
      test::read(plain, log);
      std::string mixed = other;
      std::istringstream lines(log);
      for (std::string line; std::getline(lines, line);) {
        if (flow::begins_klog_record(line)) mixed += other;
        mixed += line + '\n';
      }
      test::read(store, mixed + other);
    }
    EXPECT_EQ(test::answer(store, one.pod), test::answer(plain, one.pod)) << one.logs << ' ' << one.pod;
  }
}

}  // namespace
}  // namespace flowtap::diagnosis
