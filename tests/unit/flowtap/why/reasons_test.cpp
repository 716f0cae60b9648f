// flowtap why --from: what reasons mean and what to do, on logs about which a wrong answer was found.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "tests/support/golden.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {
namespace {

/// A line of found/why/reasons.tsv.
struct Right {
  std::string log;
  std::string pod;
  std::string how;  ///< "says", "not" or "json"
  std::string words;
};

std::string answer_about(const Right& right) {
  const std::string options = right.how == "json" ? " -o json --evidence" : "";
  const std::string log = paths::golden() + "/found/why/" + right.log + "/in.log";
  const Outcome run = shell("LC_ALL=C.UTF-8 " + paths::flowtap() + " why " + right.pod + options +
                            " --from " + log + " 2>&1");
  EXPECT_EQ(run.exit, 0) << right.log << ' ' << right.pod;
  return run.output;
}

TEST(WhyReasons, AreRightAboutLogsThatWereMisread) {
  std::istringstream lines(test::golden("found/why/reasons.tsv"));
  std::map<std::string, std::string> answers;
  std::size_t seen = 0;
  for (Right right; std::getline(lines, right.log, '\t') && std::getline(lines, right.pod, '\t') &&
                    std::getline(lines, right.how, '\t') && std::getline(lines, right.words);
       ++seen) {
    ASSERT_TRUE(right.how == "says" || right.how == "not" || right.how == "json") << right.how;
    std::string& answer = answers[right.pod + (right.how == "json" ? " json" : "")];
    if (answer.empty()) answer = answer_about(right);
    EXPECT_EQ(answer.contains(right.words), right.how != "not")
        << right.log << ' ' << right.how << ' ' << right.words << ":\n"
        << answer;
  }
  EXPECT_GT(seen, 30U);
}

}  // namespace
}  // namespace flowtap
