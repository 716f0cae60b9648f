// The attempts before the latest one.
#include "explain/diagnosis/attempts/attempt_history.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "explain/diagnosis/attempts/pod_attempts.hpp"
#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

using test::kHami;
using test::kKube;

struct Says {
  const Scheduler* who;
  std::uint64_t time;
  FactKind what;
  std::string summary = {};
  std::string_view uid = {};
};

void add(PodAttempts& attempts, SharedTexts& texts, const Says& says) {
  Fact fact;
  fact.scheduler = says.who;
  fact.time = says.time;
  fact.kind = says.what;
  fact.log = says.who == kKube ? 1 : 2;
  fact.at(Field::kUid) = says.uid;
  fact.at(Field::kSummary) = says.summary;
  attempts.add(fact, CardPlaces(), texts);
}

/// "3: HAMi failed y, kube-scheduler failed x". It must be the same whichever scheduler's log is read first.
std::string told(const std::vector<Says>& said) {
  std::string out;
  for (const auto& order : {std::vector{kKube, kHami}, std::vector{kHami, kKube}}) {
    SharedTexts texts;
    PodAttempts attempts;
    for (const Scheduler* who : order)
      for (const Says& says : said)
        if (says.who == who) add(attempts, texts, says);
    const Diagnosis diagnosis = attempts.diagnosis();
    std::string text = std::to_string(diagnosis.attempt) + ":";
    for (const Diagnosis::Past& past : diagnosis.history)
      text += ' ' + past.scheduler + ' ' + std::string(to_string(past.status)) +
              (past.at_bind ? " to bind " : " ") + past.summary + ',';
    EXPECT_TRUE(out.empty() || out == text) << out << " / " << text;
    out = text;
  }
  return out;
}

TEST(AttemptHistory, TheNewestIsFirst) {
  EXPECT_EQ(told({{kKube, 1, FactKind::kFilterFailed, "a"}}), "1:");
  EXPECT_EQ(told({{kKube, 1, FactKind::kFilterFailed, "a"},
                  {kKube, 2, FactKind::kFilterFailed, "b"},
                  {kKube, 3, FactKind::kFilterFailed, "c"}}),
            "3: kube-scheduler failed b, kube-scheduler failed a,");
  EXPECT_EQ(told({{kHami, 1, FactKind::kAttempt},
                  {kHami, 2, FactKind::kAttempt},
                  {kHami, 3, FactKind::kFilterPassed, "fits"},
                  {kHami, 4, FactKind::kBindFailed, "locked"},
                  {kHami, 5, FactKind::kAttempt}}),
            "3: HAMi failed to bind locked, HAMi pending ,");
}

TEST(AttemptHistory, TwoSchedulersAttemptIsOne) {
  const std::vector<Says> said = {{kKube, 1, FactKind::kAttempt},
                                  {kHami, 2, FactKind::kAttempt},
                                  {kHami, 3, FactKind::kFilterFailed, "extender's"},
                                  {kKube, 4, FactKind::kFilterFailed, "0/1"},
                                  {kKube, 5, FactKind::kAttempt},
                                  {kKube, 6, FactKind::kFilterFailed, "without"},
                                  {kKube, 7, FactKind::kAttempt},
                                  {kHami, 8, FactKind::kAttempt},
                                  {kHami, 9, FactKind::kFilterFailed, "again"},
                                  {kKube, 10, FactKind::kFilterFailed, "0/1"}};
  EXPECT_EQ(told(said), "3: kube-scheduler failed without, HAMi failed extender's,");
  // At -v=2 no attempt's beginning is said, and the answer is the same.
  std::vector<Says> ends = said;
  std::erase_if(ends, [](const Says& one) { return one.who == kKube && one.what == FactKind::kAttempt; });
  EXPECT_EQ(told(ends), told(said));
  // The extender is not asked any more.
  std::vector<Says> more = said;
  more.push_back({kKube, 11, FactKind::kAttempt});
  EXPECT_EQ(told(more), "4: HAMi failed again, kube-scheduler failed without, HAMi failed extender's,");
}

TEST(AttemptHistory, WhatFollowsABindIsAnotherPods) {
  EXPECT_EQ(told({{kKube, 1, FactKind::kFilterFailed, "a"},
                  {kHami, 2, FactKind::kAttempt},
                  {kHami, 3, FactKind::kFilterFailed, "b"},
                  {kKube, 4, FactKind::kBound},
                  {kKube, 5, FactKind::kFilterFailed, "c"},
                  {kKube, 6, FactKind::kFilterFailed, "d"}}),
            "2: kube-scheduler failed c,");
}

TEST(AttemptHistory, WhatHasAnotherUidIsAnotherPods) {
  EXPECT_EQ(told({{kKube, 1, FactKind::kFilterFailed, "a"},
                  {kHami, 2, FactKind::kAttempt, "", "old"},
                  {kKube, 4, FactKind::kFilterFailed, "b"},
                  {kHami, 6, FactKind::kAttempt, "", "new"},
                  {kHami, 7, FactKind::kFilterFailed, "c"},
                  {kKube, 8, FactKind::kFilterFailed, "d"},
                  {kHami, 9, FactKind::kAttempt, "", "new"}}),
            "2: HAMi failed c,");
}

TEST(AttemptHistory, ItHasABound) {
  SharedTexts texts;
  PodAttempts attempts;
  const std::string summary = std::string(AttemptHistory::kLongestSummary - 1, 's') + "\xc3\xa9 and more";
  for (std::uint64_t i = 1; i <= 1000; ++i)
    add(attempts, texts, {kKube, i, FactKind::kFilterFailed, summary});
  const Diagnosis diagnosis = attempts.diagnosis();
  EXPECT_EQ(diagnosis.attempt, 1000U);
  ASSERT_EQ(diagnosis.history.size(), AttemptHistory::kMost);
  EXPECT_EQ(diagnosis.history[0].summary, std::string(AttemptHistory::kLongestSummary - 1, 's'));
  const std::size_t bytes = attempts.bytes();
  EXPECT_GT(bytes, AttemptHistory::kMost * AttemptHistory::kLongestSummary);
  for (std::uint64_t i = 1001; i <= 2000; ++i)
    add(attempts, texts, {kKube, i, FactKind::kFilterFailed, summary});
  EXPECT_EQ(attempts.bytes(), bytes);
}

// Only some of kube-scheduler's attempts get as far as the extender, so the extender's attempts that are kept go back further
// than kube-scheduler's.
TEST(AttemptHistory, AnAttemptThatBothTellIsCountedOnceThoughOneHasDroppedIt) {
  constexpr std::uint64_t kAttempts = 100;
  std::vector<Says> said;
  for (std::uint64_t i = 0; i < kAttempts; ++i) {
    said.push_back({kKube, 10 * i, FactKind::kAttempt});
    if (i % 10 == 0) {
      said.push_back({kHami, 10 * i + 1, FactKind::kAttempt});
      said.push_back({kHami, 10 * i + 2, FactKind::kFilterFailed, "extender's"});
    }
    said.push_back({kKube, 10 * i + 3, FactKind::kFilterFailed, "0/1"});
  }
  const std::string all = told(said);
  EXPECT_EQ(all.substr(0, all.find(':')), "100") << all;
}

TEST(AttemptHistory, TimesAreThoseOfTheRecords) {
  DiagnosisStore store;
  const auto record = [](const char* ts, const char* rest) {
    return R"({"ts":)" + std::string(ts) + R"(,"caller":"a.go:1",)" + rest +
           R"(,"v":2,"pod":{"name":"p","namespace":"ns"}})" + '\n';
  };
  constexpr const char* kBegin = R"("msg":"Attempting to schedule pod")";
  constexpr const char* kEnd =
      R"("msg":"Unable to schedule pod; no fit; waiting","err":"0/1 nodes are available: 1 x.")";
  test::read(store, record("1795224037000", kBegin) + record("1795224038000.5", kEnd) +
                        record("1795224039000", kBegin) + record("1795224040000.25", kEnd));
  const auto found = store.find("ns", "p");
  ASSERT_TRUE(found);
  EXPECT_NE(
      to_json(*found, true)
          .find(
              R"("scheduler":"kube-scheduler","attempt":2,"times":{"first":"2026-11-21T01:20:39.000000000Z",)"
              R"("last":"2026-11-21T01:20:40.000250000Z"},"history":[{"time":"2026-11-21T01:20:38.000500000Z",)"
              R"("scheduler":"kube-scheduler","status":"failed","phase":"filter","summary":"0/1 nodes are available: 1 x."}])"),
      std::string::npos)
      << to_json(*found, true);
  // klog's text does not tell the year.
  EXPECT_EQ(test::answer_of({R"("Attempting to schedule pod" pod="ns/p")"}, "ns/p", true).find("times"),
            std::string::npos);
}

// The time from the first thing that was said of the pod, counted by powers of two nanoseconds.
TEST(AttemptHistory, TheTimeToTheBindIsThatOfAllAttempts) {
  const auto counts_of = [](std::initializer_list<std::pair<int, const char*>> said) {
    DiagnosisStore store;
    SchedulerLog log(store);
    for (const auto& [seconds, rest] : said)
      log.read(flow::whole_record(R"({"ts":)" + std::to_string(1'795'224'000'000 + 1000LL * seconds) +
                                  R"(,"caller":"a.go:1",)" + rest +
                                  R"(,"v":2,"pod":{"name":"p","namespace":"ns"}})"));
    return log.counts();
  };
  constexpr const char* kBegin = R"("msg":"Attempting to schedule pod")";
  constexpr const char* kNone = R"("msg":"Unable to schedule pod; no fit; waiting","err":"x")";
  constexpr const char* kEnd = R"("msg":"Successfully bound pod to node","node":"n")";
  const auto took = [&](std::initializer_list<std::pair<int, const char*>> said) {
    return std::chrono::duration_cast<std::chrono::seconds>(counts_of(said).took_in_all).count();
  };
  EXPECT_EQ(took({{1, kBegin}, {2, kNone}, {90, kBegin}, {101, kEnd}}), 100);
  EXPECT_EQ(took({{2, kNone}, {101, kEnd}}), 99) << "at -v=2";
  EXPECT_EQ(took({{1, kBegin}, {11, kEnd}, {20, kBegin}, {25, kEnd}}), 15) << "another pod of the name";
  const auto counts = counts_of({{1, kBegin}, {2, kEnd}});
  EXPECT_EQ(counts.took.at(30), 1U) << "2^29 ns < 1 s <= 2^30 ns";
  // Only its end was seen; and text does not tell the year.
  const auto number = [](const LogCounts& all) {
    return std::accumulate(all.took.begin(), all.took.end(), 0U);
  };
  EXPECT_EQ(number(counts_of({{11, kEnd}})), 0U);
  DiagnosisStore store;
  SchedulerLog log(store);
  for (const char* text :
       {R"(I0821 07:20:00.000001       1 a.go:1] "Attempting to schedule pod" pod="ns/p")",
        R"(I0821 07:20:01.000001       1 a.go:1] "Successfully bound pod to node" pod="ns/p" node="n")"})
    log.read(flow::whole_record(text));
  EXPECT_EQ(number(log.counts()), 0U);
  EXPECT_EQ(log.counts().outcomes.at(static_cast<std::size_t>(Outcome::kBound)), 1U);
}

TEST(AttemptHistory, WhoseWordTheStatusIsIsSaid) {
  SharedTexts texts;
  PodAttempts attempts;
  add(attempts, texts, {kKube, 1, FactKind::kAttempt});
  EXPECT_EQ(attempts.diagnosis().scheduler, "kube-scheduler");
  add(attempts, texts, {kHami, 2, FactKind::kAttempt});
  add(attempts, texts, {kHami, 3, FactKind::kFilterPassed, "fits"});
  EXPECT_EQ(attempts.diagnosis().scheduler, "HAMi");
  add(attempts, texts, {kKube, 4, FactKind::kFilterFailed, "0/1"});
  EXPECT_EQ(attempts.diagnosis().scheduler, "kube-scheduler");
}

constexpr std::uint64_t kMinute = 60'000'000;  // µs

/// One record of a replica of kube-scheduler; the minute is when.
struct Record {
  std::uint32_t replica;
  std::uint64_t minute;
  FactKind what;
  std::string summary = {};
};

std::string told_by_replicas(const std::vector<Record>& records) {
  SharedTexts texts;
  PodAttempts attempts;
  for (const Record& record : records) {
    Fact fact;
    fact.scheduler = kKube;
    fact.log = record.replica;
    // A verdict comes some milliseconds behind the beginning.
    fact.time = record.minute * kMinute + (record.what == FactKind::kAttempt ? 0 : 3'000);
    fact.kind = record.what;
    fact.at(Field::kSummary) = record.summary;
    attempts.add(fact, CardPlaces(), texts);
  }
  const Diagnosis diagnosis = attempts.diagnosis();
  std::string text = std::to_string(diagnosis.attempt) + ": " + diagnosis.filter.summary;
  for (const Diagnosis::Past& past : diagnosis.history)
    text += ' ' + std::string(to_string(past.status)) + (past.at_bind ? " to bind" : "") + '/' + past.summary;
  return text;
}

using Kind = FactKind;

// Another replica leads from some time on, and its log is read before the rest of the first one's, or is another file.
TEST(AttemptHistory, WhatAnotherReplicaTellsLateIsInItsPlace) {
  const Record a{1, 1, Kind::kFilterFailed, "a"};
  const Record b{1, 2, Kind::kFilterFailed, "b"};
  const Record c{2, 3, Kind::kFilterFailed, "c"};
  const Record d{2, 4, Kind::kFilterFailed, "d"};
  const Record e{1, 5, Kind::kFilterFailed, "e"};
  const std::string right = "5: e failed/d failed/c failed/b failed/a";
  EXPECT_EQ(told_by_replicas({a, b, c, d, e}), right);
  EXPECT_EQ(told_by_replicas({a, b, e, c, d}), right);
  EXPECT_EQ(told_by_replicas({c, d, a, b, e}), right);
  EXPECT_EQ(told_by_replicas({a, c, b, e, d}), right);
}

TEST(AttemptHistory, ALateVerdictIsThatOfItsAttempt) {
  const auto begins = [](std::uint32_t replica, std::uint64_t minute) {
    return Record{replica, minute, Kind::kAttempt};
  };
  EXPECT_EQ(
      told_by_replicas(
          {begins(1, 1), begins(2, 2), {2, 2, Kind::kFilterFailed, "b"}, {1, 1, Kind::kFilterFailed, "a"}}),
      "2: b failed/a");
  EXPECT_EQ(told_by_replicas({begins(2, 3),
                              {2, 3, Kind::kFilterFailed, "c"},
                              begins(1, 1),
                              {1, 1, Kind::kFilterFailed, "a"},
                              begins(1, 2)}),
            "3: c pending/ failed/a")
      << "nobody says how the second one went";
  EXPECT_EQ(told_by_replicas({begins(1, 1),
                              {1, 1, Kind::kFilterPassed, "fits"},
                              begins(2, 2),
                              {2, 2, Kind::kFilterFailed, "b"},
                              {1, 1, Kind::kPhaseFailed, "a"}}),
            "2: b failed to bind/a");
}

TEST(AttemptHistory, ARecordInAnotherFormIsNoFurtherAttempt) {
  const std::vector<Record> log{{1, 1, Kind::kAttempt},
                                {1, 1, Kind::kFilterFailed, "a"},
                                {1, 2, Kind::kAttempt},
                                {1, 2, Kind::kFilterFailed, "b"}};
  std::vector<Record> twice = log;
  for (Record again : {log[0], log[1]}) {
    again.replica = 2;
    twice.push_back(again);
  }
  EXPECT_EQ(told_by_replicas(twice), "2: b failed/a");
}

TEST(AttemptHistory, AnotherProgramsWordOfAnAttemptIsNoneOfItsOwn) {
  EXPECT_EQ(
      told_by_replicas({{2, 1, Kind::kCellFits}, {1, 1, Kind::kAttempt}, {1, 1, Kind::kFilterFailed, "a"}}),
      "1: a");
}

TEST(AttemptHistory, ALateBindWasOfAnotherPod) {
  EXPECT_EQ(told_by_replicas({{1, 1, Kind::kFilterFailed, "a"},
                              {2, 3, Kind::kFilterFailed, "c"},
                              {1, 2, Kind::kBound},
                              {2, 4, Kind::kFilterFailed, "d"}}),
            "2: d failed/c");
}

TEST(AttemptHistory, EachOfManyLateAttemptsIsCountedOnce) {
  std::vector<Record> all;
  for (const std::uint32_t replica : {1U, 2U})
    for (std::uint64_t minute = 1; minute <= 30; ++minute)
      if (minute / 10 % 2 + 1 == replica) {
        all.push_back({replica, minute, Kind::kAttempt});
        all.push_back({replica, minute, Kind::kFilterFailed, std::to_string(minute)});
      }
  EXPECT_TRUE(told_by_replicas(all).starts_with("30: ")) << told_by_replicas(all);
  // The last verdict of the first ones comes when the second replica has told all of its own.
  std::vector<Record> late = {{1, 1, Kind::kAttempt}};
  for (std::uint64_t minute = 2; minute <= 12; ++minute) {
    late.push_back({2, minute, Kind::kAttempt});
    late.push_back({2, minute, Kind::kFilterFailed, "b"});
  }
  late.push_back({1, 1, Kind::kFilterFailed, "a"});
  EXPECT_TRUE(told_by_replicas(late).starts_with("12: ")) << told_by_replicas(late);
}

}  // namespace
}  // namespace flowtap::diagnosis
