// Schedulers for which nobody wrote code: they are nothing but their tables.
#include "explain/diagnosis/facts/schedulers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kit.hpp"

namespace flowtap::diagnosis {
namespace {

// An extender that is asked besides HAMi, and a scheduler that says where its attempts begin.
constexpr FactRow kVendorRows[] = {
    {.kind = FactKind::kAttempt, .message = "Filter begins", .keys = {{{"uid", Field::kUid}}}},
    {.kind = FactKind::kCardFails,
     .message = "Accelerator refused",
     .keys = {{{"accelerator", Field::kCard}, {"node", Field::kNode}}},
     .says = "AcceleratorBusy"},
    {.kind = FactKind::kNodeFits, .message = "Node accepted", .keys = {{{"node", Field::kNode}}}},
    {.kind = FactKind::kNodeFails,
     .message = "Node refused",
     .keys = {{{"node", Field::kNode}, {"why", Field::kReason}}}},
    {.kind = FactKind::kFilterFailed,
     .message = "Filter ends",
     .with = "left",
     .value = "0",
     .says = "no node left"},
};
constexpr FactRow kBatchRows[] = {
    {.kind = FactKind::kAttempt, .message = "Queue gives pod"},
    {.kind = FactKind::kFilterFailed, .message = "Pod waits", .keys = {{{"why", Field::kSummary}}}},
    {.kind = FactKind::kBound, .message = "Pod placed", .keys = {{{"node", Field::kNode}}}},
};

const Schedulers& schedulers() {
  static const std::array kAll = {
      *test::scheduler("kube-scheduler"), *test::scheduler("HAMi"),
      Scheduler{.name = "vendor",
                .role = Scheduler::Role::kExtender,
                .rows = kVendorRows,
                .names_all_nodes = true,
                .cards = "from -v=3 on"},
      Scheduler{.name = "batch", .role = Scheduler::Role::kMain, .rows = kBatchRows}};
  static const Schedulers kSchedulers(kAll);
  return kSchedulers;
}

struct Line {
  unsigned second;
  std::string_view body;
};

/// One answer, in whatever order the logs are read.
Diagnosis told(const std::vector<std::vector<Line>>& logs) {
  std::vector<std::string> texts;
  for (const std::vector<Line>& lines : logs) {
    std::string& text = texts.emplace_back();
    for (const Line& line : lines) {
      const std::string second = std::to_string(line.second);
      text.append("I0821 07:20:")
          .append(second.size() < 2 ? "0" : "")
          .append(second)
          .append(".000001       1 a.go:1] ")
          .append(line.body)
          .append(1, '\n');
    }
  }
  std::ranges::sort(texts);
  std::optional<Diagnosis> out;
  do {
    DiagnosisStore store(DiagnosisStore::kMostPods, DiagnosisStore::kMostBytes, schedulers());
    for (const std::string& text : texts) test::read(store, text);
    auto found = store.find("ns", "p");
    EXPECT_TRUE(found);
    if (!found) return {};
    EXPECT_TRUE(!out || to_json(*out, true) == to_json(*found, true)) << to_json(*out, true) << '\n'
                                                                      << to_json(*found, true);
    out = std::move(found);
  } while (std::ranges::next_permutation(texts).found);
  return *out;
}

/// "n1 - reason, n2 +"
std::string nodes_of(const Diagnosis& diagnosis) {
  std::string out;
  for (const NodeVerdict& node : diagnosis.nodes)
    out += (out.empty() ? "" : ", ") + node.name + (node.verdict == Verdict::kPassed ? " +" : " -") +
           (node.reason.empty() ? "" : " ") + node.reason;
  return out;
}

/// "vendor failed x, kube-scheduler failed y"
std::string history_of(const Diagnosis& diagnosis) {
  std::string out;
  for (const Diagnosis::Past& past : diagnosis.history)
    out += (out.empty() ? "" : ", ") + past.scheduler + ' ' + std::string(to_string(past.status)) + ' ' +
           past.summary;
  return out;
}

const std::vector<Line> kHamisLog = {
    {2, R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")"},
    {2, R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/1 CardInsufficientMemory")"},
    {2, R"("NodeFitPod" pod="ns/p" node="n2" score=1)"},
    {2, R"("NodeFitPod" pod="ns/p" node="n3" score=2)"}};
const std::vector<Line> kVendorsLog = {{3, R"("Filter begins" pod="ns/p" uid="u")"},
                                       {3, R"("Accelerator refused" pod="ns/p" accelerator="A-7" node="n2")"},
                                       {3, R"("Node refused" pod="ns/p" node="n2")"},
                                       {3, R"("Node refused" pod="ns/p" node="n3" why="no licence")"},
                                       {3, R"("Filter ends" pod="ns/p" left=0)"}};
const std::vector<Line> kKubesLog = {
    {1, R"("Attempting to schedule pod" pod="ns/p")"},
    {4, R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/3 nodes are available: 1 a, 2 b.")"}};

TEST(Schedulers, ATableIsAScheduler) {
  const Diagnosis alone = told({kVendorsLog});
  EXPECT_EQ(alone.scheduler, "vendor");
  EXPECT_EQ(alone.uid, "u");
  EXPECT_EQ(alone.filter.summary, "no node left");
  EXPECT_EQ(nodes_of(alone), "n2 - AcceleratorBusy, n3 - no licence");
  EXPECT_EQ(alone.nodes.front().cards, (std::vector<CardVerdict>{{"A-7", "AcceleratorBusy"}}));
  EXPECT_EQ(to_string(told({{{1, R"("Pod placed" pod="ns/p" node="n1")"}}}).status), "succeeded");
}

TEST(Schedulers, ThoseOfOneAttemptAreOneAnswer) {
  const Diagnosis all = told({kKubesLog, kHamisLog, kVendorsLog});
  // The vendor may turn down a node that HAMi lets through.
  EXPECT_EQ(nodes_of(all), "n1 - 1/1 CardInsufficientMemory, n2 - AcceleratorBusy, n3 - no licence");
  EXPECT_EQ(all.scheduler, "vendor");
  EXPECT_EQ(all.filter.summary, "no node left");
  EXPECT_EQ(all.reasons, (std::vector<NodesReason>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(all.attempt, 1U);
  EXPECT_TRUE(all.history.empty());
  // It is the other way round if the vendor is asked first.
  std::vector<Line> first = kVendorsLog;
  std::vector<Line> second = kHamisLog;
  for (Line& line : first) line.second = 2;
  for (Line& line : second) line.second = 3;
  first.back().body = R"("Node accepted" pod="ns/p" node="n1")";
  EXPECT_EQ(nodes_of(told({kKubesLog, first, second})), nodes_of(all));
}

TEST(Schedulers, WhatIsNotSaidIsSaidByName) {
  const Diagnosis all =
      told({{{3, R"("Filter begins" pod="ns/p" uid="u")"}, {3, R"("Node refused" pod="ns/p" node="n2")"}}});
  EXPECT_EQ(all.lacks,
            (std::vector<std::string>{
                "reasons of nodes that have none here: vendor gives them, card by card, from -v=3 on"}));
  EXPECT_EQ(all.filter.verdict, Verdict::kFailed) << "it names all nodes";
}

TEST(Schedulers, AnExtenderThatIsNotAskedAgainIsOfTheAttemptBefore) {
  std::vector<Line> kube = kKubesLog;
  kube.push_back({11, R"("Attempting to schedule pod" pod="ns/p")"});
  kube.push_back(
      {14, R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err="0/3 nodes are available: 3 c.")"});
  std::vector<Line> hami = kHamisLog;
  hami.push_back({12, R"("Starting schedule filter process" pod="p" uuid="u" namespace="ns")"});
  hami.push_back({12, R"("NodeUnfitPod" pod="ns/p" node="n1" reason="1/1 CardNotHealth")"});
  const Diagnosis all = told({kube, hami, kVendorsLog});
  EXPECT_EQ(nodes_of(all), "n1 - 1/1 CardNotHealth");
  EXPECT_EQ(all.attempt, 2U);
  EXPECT_EQ(history_of(all), "vendor failed no node left");
  // All that are ahead of kube-scheduler tell of the attempt that it has not told of yet.
  kube.resize(2);
  std::vector<Line> vendor = kVendorsLog;
  vendor.push_back({13, R"("Filter begins" pod="ns/p" uid="u")"});
  vendor.push_back({13, R"("Node refused" pod="ns/p" node="n3" why="no licence")"});
  const Diagnosis ahead = told({kube, hami, vendor});
  EXPECT_EQ(nodes_of(ahead), "n1 - 1/1 CardNotHealth, n3 - no licence");
  EXPECT_EQ(ahead.attempt, 2U);
  EXPECT_EQ(history_of(ahead), "vendor failed no node left");
}

TEST(Schedulers, OfTwoMainOnesTheLaterAttemptCounts) {
  const std::vector<Line> batch = {{11, R"("Queue gives pod" pod="ns/p")"},
                                   {14, R"("Pod waits" pod="ns/p" why="queue full")"}};
  const Diagnosis all = told({kKubesLog, batch, kHamisLog, kVendorsLog});
  EXPECT_EQ(all.scheduler, "batch");
  EXPECT_EQ(all.filter.summary, "queue full");
  EXPECT_EQ(nodes_of(all), "") << "the extenders were asked in the attempt before";
  EXPECT_EQ(all.attempt, 2U);
  EXPECT_EQ(history_of(all), "vendor failed no node left");
  // The batch scheduler asks them, too.
  std::vector<Line> vendor = kVendorsLog;
  for (Line& line : vendor) line.second = 12;
  const Diagnosis asked = told({kKubesLog, batch, kHamisLog, vendor});
  EXPECT_EQ(asked.scheduler, "vendor");
  EXPECT_EQ(nodes_of(asked), "n2 - AcceleratorBusy, n3 - no licence");
  EXPECT_EQ(history_of(asked), "kube-scheduler failed 0/3 nodes are available: 1 a, 2 b.");
}

// Nothing is kept of the earlier pod, whichever scheduler told of it.
TEST(Schedulers, OfANameUsedAgainTheNewestPodCounts) {
  const Diagnosis all = told({kKubesLog,
                              kHamisLog,
                              {{13, R"("Filter begins" pod="ns/p" uid="v")"},
                               {13, R"("Node refused" pod="ns/p" node="n3" why="no licence")"}}});
  EXPECT_EQ(all.uid, "v");
  EXPECT_EQ(nodes_of(all), "n3 - no licence");
}

TEST(Schedulers, RowsOfOneMessageStandInTheOrderOfTheTables) {
  const auto rows = schedulers().rows_of(FactRow::Form::kMessage, "Attempting to bind pod to node");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.front().scheduler, schedulers().all().data());
  EXPECT_EQ(rows.back().scheduler, &schedulers().all()[1]);
  EXPECT_EQ(schedulers().place_of(schedulers().all()[3]), 3U);
  for (const FactRow& row : Schedulers::built_in().rows())
    EXPECT_NE(row.message, "Node refused") << "the built-in ones have no row of others";
}

// Those that are left out when a record's rows are looked for could not be its rows.
TEST(Schedulers, RowsOfARecordAreAllThatItMayMatch) {
  using Form = FactRow::Form;
  const Schedulers& all = schedulers();
  std::vector<std::string> texts = {"", "N", "Nobody says this", "pod"};
  for (const FactRow& row : all.rows())
    for (const std::string_view end : {"", " and more"})
      texts.push_back(std::string(row.message).append(end));
  std::size_t seen = 0;
  for (const std::string& text : texts)
    for (const Form form : {Form::kMessage, Form::kText}) {
      const auto is_its = [&](const FactRow& row) {
        return row.form == form &&
               (form == Form::kText ? text.starts_with(row.message) : text == row.message);
      };
      std::vector<const FactRow*> expected;
      for (const FactRow& row : all.rows())
        if (is_its(row)) expected.push_back(&row);
      std::vector<const FactRow*> found;
      for (const FactRow& row : all.rows_of(form, text))
        if (is_its(row)) found.push_back(&row);
      EXPECT_EQ(found, expected) << text;
      seen += found.size();
    }
  EXPECT_GT(seen, all.rows().size());
}

}  // namespace
}  // namespace flowtap::diagnosis
