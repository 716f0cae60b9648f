// Logs in, answers out, as files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

// Throws std::runtime_error: without its file a test proves nothing.
std::string golden(const std::string& path) {
  const std::ifstream in(std::string(FLOWTAP_GOLDEN_DIR) + '/' + path, std::ios::binary);
  if (!in) throw std::runtime_error("no golden file " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Case {
  std::string log;
  std::string pod;
  std::string expected;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  std::istringstream in(golden("diagnosis/cases.tsv"));
  for (Case one; in >> one.log >> one.pod >> one.expected;) out.push_back(one);
  return out;
}

std::string log_of(const Case& one) {
  const bool here = std::filesystem::exists(FLOWTAP_GOLDEN_DIR "/diagnosis/" + one.log);
  return golden((here ? "diagnosis/" : "scheduler/") + one.log);
}

TEST(DiagnosisGolden, Answers) {
  ASSERT_GT(cases().size(), 8U);
  for (const Case& one : cases()) {
    const auto expected = boost::json::parse(golden("diagnosis/" + one.expected));
    for (const std::size_t write : {100U, 4096U}) {
      DiagnosisStore store;
      test::read(store, log_of(one), write);
      EXPECT_EQ(boost::json::parse(test::answer(store, one.pod)), expected)
          << one.log << ' ' << one.pod << ": " << test::answer(store, one.pod);
    }
  }
}

// Records in front of a log, behind it and between its own change nothing: other pods' attempts, text, unfinished blocks.
TEST(DiagnosisGolden, OtherRecordsChangeNothing) {
  const std::string other = test::log_of(
      {R"("NodeUnfitPod" pod="ns/other" node="node1" reason="1/1 CardInsufficientCore")",
       "plain text\nof two lines",
       R"("Event occurred" object="ns/other" kind="Pod" reason="FilteringFailed" message="no available node, 9 nodes do not meet")",
       "\"block\" err=<\n\t\"NodeFitPod\" pod=\"default/gpu-pod\" node=\"x\" score=9"});
  for (const Case& one : cases()) {
    const std::string log = log_of(one);
    DiagnosisStore plain;
    test::read(plain, log);
    std::string mixed = other;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      if (flow::begins_klog_record(line)) mixed += other;
      mixed += line + '\n';
    }
    DiagnosisStore store;
    test::read(store, mixed + other);
    EXPECT_EQ(test::answer(store, one.pod), test::answer(plain, one.pod)) << one.log << ' ' << one.pod;
  }
}

}  // namespace
}  // namespace flowtap::diagnosis
