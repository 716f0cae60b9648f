// One answer from what several schedulers say, in whatever order their logs come.
#include "explain/diagnosis/attempts/pod_attempts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::kHami;
using test::kKube;

struct Says {
  const Scheduler* who;
  std::uint64_t time;
  FactKind what;
  std::string_view node = {};
  std::string_view why = {};  // a node's reason, a phase's summary
  std::string_view uid = {};
};

Fact fact_of(const Says& says, std::uint32_t log) {
  Fact fact;
  fact.scheduler = says.who;
  fact.time = says.time;
  fact.kind = says.what;
  fact.log = log;
  fact.at(Field::kNode) = says.node;
  fact.at(Field::kUid) = says.uid;
  fact.at(says.what >= FactKind::kFilterPassed ? Field::kSummary : Field::kReason) = says.why;
  return fact;
}

// Each scheduler's facts are a log of their own. It makes no difference which is read first.
std::string answer_of(const std::vector<Says>& said) {
  std::string answer;
  for (const auto& order : {std::vector{kKube, kHami}, std::vector{kHami, kKube}}) {
    SharedTexts texts;
    PodAttempts attempts;
    for (const Scheduler* who : order)
      for (const Says& says : said)
        if (says.who == who) attempts.add(fact_of(says, who == kKube ? 1 : 2), CardPlaces(), texts);
    PodAttempts as_written;
    for (const Says& says : said)
      as_written.add(fact_of(says, says.who == kKube ? 1 : 2), CardPlaces(), texts);
    EXPECT_EQ(to_json(attempts.diagnosis()), to_json(as_written.diagnosis()));
    EXPECT_TRUE(answer.empty() || answer == to_json(attempts.diagnosis()));
    answer = to_json(attempts.diagnosis());
  }
  return answer;
}

bool has(const std::string& answer, std::string_view part) {
  return answer.find(part) != std::string::npos;
}

TEST(PodAttempts, TheDeviceAwareVerdictOnANodeWins) {
  const std::string answer =
      answer_of({{kKube, 1, FactKind::kAttempt},
                 {kKube, 2, FactKind::kNodeFails, "n0", "taint"},
                 {kHami, 3, FactKind::kAttempt, {}, {}, "u"},
                 {kHami, 4, FactKind::kNodeFails, "n1", "1/2 CardInsufficientMemory"},
                 {kHami, 5, FactKind::kFilterFailed, {}, "no available node, 1 nodes do not meet"},
                 {kKube, 6, FactKind::kNodeFails, "n1", "node(s) not fit"},
                 {kKube, 7, FactKind::kFilterFailed, {}, "0/2 nodes are available"}});
  EXPECT_TRUE(has(answer, R"("status":"failed","filter":{"status":"failed","summary":"no available node)"))
      << answer;
  EXPECT_TRUE(has(answer, R"({"name":"n0","status":"failed","score":0,"containers":[],"reason":"taint"})"))
      << answer;
  EXPECT_TRUE(has(answer, "CardInsufficientMemory") && !has(answer, "not fit")) << answer;
}

TEST(PodAttempts, TheLaterAttemptWins) {
  // In its second attempt kube-scheduler does not get as far as asking the extender.
  std::vector<Says> said = {{kKube, 1, FactKind::kAttempt},
                            {kHami, 2, FactKind::kAttempt},
                            {kHami, 3, FactKind::kNodeFails, "n1", "device"},
                            {kHami, 4, FactKind::kFilterFailed, {}, "extender's"},
                            {kKube, 5, FactKind::kFilterFailed, {}, "first"},
                            {kKube, 6, FactKind::kAttempt},
                            {kKube, 7, FactKind::kFilterFailed, {}, "second"}};
  EXPECT_TRUE(has(answer_of(said), R"("summary":"second","nodes":[])")) << answer_of(said);
  // At -v=2 no attempt's beginning is said, and the answer is the same.
  std::erase_if(said, [](const Says& one) { return one.who == kKube && one.what == FactKind::kAttempt; });
  EXPECT_TRUE(has(answer_of(said), R"("summary":"second","nodes":[])")) << answer_of(said);
  // The extender is asked again, and the verdict is not there yet.
  said.push_back({kHami, 8, FactKind::kAttempt});
  said.push_back({kHami, 9, FactKind::kNodeFits, "n1"});
  EXPECT_TRUE(has(answer_of(said), R"("status":"pending","filter":{"status":"","summary":"")"))
      << answer_of(said);
  EXPECT_TRUE(has(answer_of(said), R"("name":"n1","status":"passed")")) << answer_of(said);
}

TEST(PodAttempts, OfABindTheLaterWordCounts) {
  const std::vector<Says> said = {{kKube, 1, FactKind::kAttempt},
                                  {kHami, 2, FactKind::kAttempt},
                                  {kHami, 3, FactKind::kFilterPassed, {}, "find fit node(n1)"},
                                  {kHami, 5, FactKind::kBound, "n1"},
                                  {kKube, 4, FactKind::kBinding, "n1"},
                                  {kKube, 6, FactKind::kPhaseFailed, {}, "binding rejected: timeout"}};
  EXPECT_TRUE(has(answer_of(said), R"("status":"failed","filter":{"status":"passed","summary":"find fit)"))
      << answer_of(said);
  EXPECT_TRUE(has(answer_of(said), R"("bind":{"status":"failed","summary":"binding rejected: timeout"})"))
      << answer_of(said);
}

TEST(PodAttempts, OfANameUsedAgainTheNewestPodCounts) {
  const std::string answer = answer_of({{kHami, 1, FactKind::kAttempt, {}, {}, "old"},
                                        {kHami, 2, FactKind::kNodeFails, "n1", "device"},
                                        {kKube, 3, FactKind::kNodeFails, "n2", "taint", "new"}});
  EXPECT_TRUE(has(answer, "n2") && !has(answer, "n1")) << answer;
  EXPECT_TRUE(has(answer_of({{kHami, 1, FactKind::kNodeFails, "n1", "a", "old"},
                             {kHami, 2, FactKind::kNodeFails, "n2", "b", "new"}}),
                  R"("nodes":[{"name":"n2")"));
}

// One scheduler's log in two files, the newer one first.
TEST(PodAttempts, AnOlderFileChangesNothing) {
  const std::vector<Says> older = {{kKube, 1, FactKind::kAttempt},
                                   {kKube, 2, FactKind::kNodeFails, "n1", "a"},
                                   {kKube, 3, FactKind::kFilterFailed, {}, "old"}};
  const std::vector<Says> newer = {{kKube, 4, FactKind::kAttempt},
                                   {kKube, 5, FactKind::kFilterFailed, {}, "new"}};
  SharedTexts texts;
  PodAttempts attempts;
  for (const Says& says : newer) attempts.add(fact_of(says, 1), CardPlaces(), texts);
  for (const Says& says : older) attempts.add(fact_of(says, 2), CardPlaces(), texts);
  EXPECT_TRUE(has(to_json(attempts.diagnosis()), R"("summary":"new","nodes":[])"))
      << to_json(attempts.diagnosis());
  // Within one log the order of its records counts, since clocks are set back.
  PodAttempts one_log;
  for (const Says& says : newer) one_log.add(fact_of(says, 1), CardPlaces(), texts);
  for (const Says& says : older) one_log.add(fact_of(says, 1), CardPlaces(), texts);
  EXPECT_TRUE(has(to_json(one_log.diagnosis()), R"("summary":"old")")) << to_json(one_log.diagnosis());
}

}  // namespace
}  // namespace flowtap::diagnosis
