// The V of records, against what the programs themselves printed at each -v.
#include "stream/lines/klog/verbosity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "stream/lines/klog/klog_pairs.hpp"
#include "tests/unit/stream/lines/scheduler_log.hpp"

namespace flowtap::flow {
namespace {

using test::Given;
using test::records_of;
using test::scheduler_log;
using Messages = std::multiset<std::string>;

const std::string kHeader = "I0821 07:20:00.000001       1 a.go:1] ";

// A record's first line behind its header. For flags it only says that they are flags, as each run has its own.
std::string line_of(const Given& record) {
  const auto parsed = parse_klog_record(record.text);
  if (!parsed) return record.text;
  const std::string_view body = parsed->body;
  return std::string(body.starts_with("FLAG: ") ? "FLAG: " : body.substr(0, body.find('\n')));
}

std::string message_of(const Given& record) {
  const auto parsed = parse_klog_record(record.text);
  if (!parsed) return "no header";
  return std::string(parsed->message.starts_with("FLAG: ") ? "FLAG: " : parsed->message);
}

std::set<std::string> unknown_in(const std::string& file) {
  std::set<std::string> out;
  for (const Given& record : records_of(scheduler_log(file)))
    if (record.level == kUnknownLevel) out.insert(message_of(record));
  return out;
}

// The beginnings of a real log's unknown messages.
std::set<std::string> exceptions_of(const std::string& log) {
  std::set<std::string> out;
  std::istringstream rows(scheduler_log("unknown_levels.tsv"));
  for (std::string file, message; std::getline(rows, file, '\t') && std::getline(rows, message);)
    if (file == log) out.insert(message);
  return out;
}

std::set<std::string> shown(const std::string& file, Level limit) {
  std::set<std::string> out;
  for (const Given& record : records_of(scheduler_log(file)))
    if (is_shown(record.level, limit)) out.insert(message_of(record));
  return out;
}

Level level_of(const std::string& body) {
  Verbosity verbosity;
  return verbosity.of(*parse_klog_record(kHeader + body));
}

// In JSON each record has its V. For the same record in text, the table gives the same.
TEST(Verbosity, TheTableSaysWhatKubeSchedulerSays) {
  std::size_t records = 0;
  for (const Given& given : records_of(scheduler_log("kube-scheduler-v5.json.log"))) {
    const auto record = parse_klog_record(given.text);
    ASSERT_TRUE(record);
    std::string structured = '"' + std::string(record->message) + '"';
    bool is_error = true;
    KlogPairs pairs(*record);
    for (KlogPair pair; pairs.next(pair);) {
      if (pair.key == "v") is_error = false;
      structured += ' ' + std::string(pair.key) + "=\"x\"";
    }
    if (is_error) {
      EXPECT_EQ(given.level, 0);
      continue;
    }
    const std::string free =
        klog_value({.key = {}, .kind = KlogPair::Kind::kString, .value = record->message});
    const Level in_table = level_of(structured) == kUnknownLevel ? level_of(free) : level_of(structured);
    EXPECT_EQ(int{in_table}, int{given.level}) << record->message;
    ++records;
  }
  EXPECT_EQ(records, 454U);
}

// The same program ran at -v=2 and at -v=10. (It once failed to write an event, which is an error.)
TEST(Verbosity, MainLogOfMinus10IsTheLogOfMinus2) {
  std::set<std::string> expected = shown("kube-scheduler-v2.log", 10);
  expected.insert("Unable to write event (may retry after sleeping)");
  EXPECT_EQ(shown("kube-scheduler-v10.log", 2), expected);
  EXPECT_EQ(unknown_in("kube-scheduler-v10.log"), std::set<std::string>{});
  EXPECT_EQ(unknown_in("kube-scheduler-v2.log"), std::set<std::string>{});
  for (const Given& record : records_of(scheduler_log("kube-scheduler-v2.log")))
    EXPECT_LE(int{record.level}, 2) << record.text;
}

// These are one run's lines at -v=5 and at -v=4.
TEST(Verbosity, MainLogOfHamiAtMinus4) {
  for (const std::string run : {"success", "filter-failed"}) {
    Messages expected, seen;
    for (const Given& record : records_of(scheduler_log("hami-2.10-" + run + "-v4.log")))
      expected.insert(line_of(record));
    for (const Given& record : records_of(scheduler_log("hami-2.10-" + run + "-v5.log")))
      if (is_shown(record.level, 4)) seen.insert(line_of(record));
    EXPECT_EQ(seen, expected) << run;
    EXPECT_EQ(unknown_in("hami-2.10-" + run + "-v5.log"), std::set<std::string>{});
  }
}

// Those messages of the NUMA-aware scheduler of 2024 that have V 2 or less in its sources; the rest of its log is above.
TEST(Verbosity, MainLogOfTheNumaScheduler) {
  const std::set<std::string> exceptions = exceptions_of("numa-logid-era-v5.log");
  std::set<std::string> expected = {
      "FLAG: ",
      "Golang settings",
      "PFP Status dump disabled",
      "Starting Kubernetes Scheduler",
      "Serving securely on 127.0.0.1:20269",
      "Stopped listening on 127.0.0.1:20269",
      "Starting DynamicServingCertificateController",
      "Shutting down DynamicServingCertificateController",
      "Starting RequestHeaderAuthRequestController",
      "Shutting down RequestHeaderAuthRequestController",
      "Starting controller",
      "Shutting down controller",
      "setting up foreign pods detection",
      "Added node in listed group to NodeTree",
      "Loaded SNI cert",
      "Loaded a new cert/key pair",
      "Loaded a new request header values for RequestHeaderAuthRequestController",
      "Loaded client CA",
      "Loaded serving cert",
      "Scheduling queue is closed",
      "Successfully bound pod to node",
      "Unable to schedule pod; no fit; waiting",
      "Using component config",
      "cannot align container",
      "cannot align pod",
      "invalid topology data",
      "nrtcache: Listed pod in Pending phase, ignored",
      "The `topologyPolicies` field is deprecated and will be removed with the NRT API v1beta1.",
      "The `topologyPolicies` field is deprecated, please use top-level Attributes field instead."};
  for (const std::string cache :
       {"RequestHeaderAuthRequestController",
        "client-ca::kube-system::extension-apiserver-authentication::client-ca-file",
        "client-ca::kube-system::extension-apiserver-authentication::requestheader-client-ca-file"}) {
    expected.insert("Waiting for caches to sync for " + cache);
    expected.insert("Caches are synced for " + cache);
  }
  expected.insert(exceptions.begin(), exceptions.end());
  EXPECT_EQ(shown("numa-logid-era-v5.log", 2), expected);
}

// We do not know the V of these messages, so they pass. The list has all of them, from all real logs.
TEST(Verbosity, ExceptionsAreListed) {
  for (const std::string& log : test::kRealLogs) {
    const std::set<std::string> listed = exceptions_of(log);
    std::set<std::string> seen;
    for (const std::string& message : unknown_in(log)) {
      const auto row = std::ranges::find_if(
          listed, [&message](const std::string& beginning) { return message.starts_with(beginning); });
      EXPECT_NE(row, listed.end()) << log << ": " << message;
      if (row != listed.end()) seen.insert(*row);
    }
    EXPECT_EQ(seen, listed) << log;
  }
}

// A log has no records above its -v.
TEST(Verbosity, NoRecordIsAboveTheVerbosityOfItsLog) {
  const std::map<std::string, int> logs = {{"hami-2024-kube-scheduler-v4.log", 4},
                                           {"hami-2024-v4.log", 4},
                                           {"kube-scheduler-v4-apiserver-down.log", 4},
                                           {"numa-logid-era-v5.log", 5},
                                           {"numa-pod-era-v4.log", 4},
                                           {"numa-logid-era-v6.log", 6},
                                           {"kube-scheduler-v5.json.log", 5},
                                           {"hami-2.10-success-v5.log", 5}};
  for (const auto& [file, v] : logs)
    for (const Given& record : records_of(scheduler_log(file)))
      EXPECT_TRUE(record.level <= v || record.level == kUnknownLevel) << record.text;
}

TEST(Verbosity, VersionsAreToldByWhatOnlyTheySay) {
  const auto level = [](Verbosity& verbosity, const std::string& body) {
    return int{verbosity.of(*parse_klog_record(kHeader + body))};
  };
  Verbosity hami;
  EXPECT_EQ(level(hami, R"("scoring pod" pod="ns/p")"), 4);
  EXPECT_EQ(level(hami, R"("begin schedule filter" pod="p" namespaces="ns")"), 0);
  EXPECT_EQ(level(hami, R"("scoring pod" pod="ns/p")"), 0);
  EXPECT_EQ(level(hami, R"("Node lock set" node="n")"), 0);
  EXPECT_EQ(level(hami, R"("device status" device id="x")"), 0);
  EXPECT_EQ(level(hami, R"("Starting schedule filter process" pod="p" namespace="ns")"), 0);
  EXPECT_EQ(level(hami, R"("device status" device id="x")"), 5);
  Verbosity numa;
  EXPECT_EQ(level(numa, R"("final verdict" logID="ns/p" suitable=true)"), 5);
  EXPECT_EQ(level(numa, R"("final verdict" pod="ns/p" suitable=true)"), 3);
  EXPECT_EQ(level(numa, R"("early verdict: cannot meet request" logID="ns/p")"), 5);
  // kube-scheduler and HAMi say the same at another V.
  EXPECT_EQ(level_of(R"("Attempting to bind pod to node" pod="ns/p" node="n")"), 3);
  EXPECT_EQ(level_of(R"("Attempting to bind pod to node" pod="p" namespace="ns" node="n")"), 0);
  EXPECT_EQ(level_of(R"("Pod moved to an internal scheduling queue" pod="ns/p" queue="Active")"), 5);
  EXPECT_EQ(level_of(R"("Pod moved to an internal scheduling queue" pod="ns/p" schedulingCycle=1)"), 3);
}

TEST(Verbosity, WhatIsUnknownPassesAndIsCounted) {
  Verbosity verbosity;
  EXPECT_EQ(verbosity.of(*parse_klog_record(kHeader + "\"never heard of\" k=\"v\"")), kUnknownLevel);
  EXPECT_EQ(verbosity.of(*parse_klog_record(kHeader + "never heard of")), kUnknownLevel);
  EXPECT_EQ(verbosity.unknown(), 2U);
  EXPECT_EQ(verbosity.of(*parse_klog_record("W0821 07:20:00.000001       1 a.go:1] never heard of")), 0);
  EXPECT_EQ(verbosity.of(*parse_klog_record(R"({"ts":1.5,"msg":"never heard of","v":7})")), 7);
  EXPECT_EQ(verbosity.of(*parse_klog_record(R"({"ts":1.5,"msg":"m","v":7,"v":0})")), 7);
  EXPECT_EQ(verbosity.of(*parse_klog_record(R"({"ts":1.5,"msg":"m","v":1000})")), 254);
  EXPECT_EQ(verbosity.of(*parse_klog_record(R"({"ts":1.5,"msg":"never heard of","err":"x"})")), 0);
  EXPECT_EQ(verbosity.unknown(), 2U);
  EXPECT_TRUE(is_shown(kUnknownLevel, 0));
  EXPECT_TRUE(is_shown(2, 2));
  EXPECT_FALSE(is_shown(3, 2));
}

// The V is from the sources; no log at hand has these messages.
TEST(Verbosity, WhatIsSaidSeldom) {
  EXPECT_EQ(
      level_of(R"("Unable to schedule pod, possibly due to node not found; waiting" pod="ns/p" err="x")"), 2);
  EXPECT_EQ(level_of(R"("Status after running PreEnqueue plugin" pod="ns/p" plugin="SchedulingGates")"), 4);
  EXPECT_EQ(level_of(R"("One or more plugins asked to wait and no plugin rejected pod" pod="ns/p")"), 4);
  EXPECT_EQ(level_of(R"("Pod waiting on permit" pod="ns/p")"), 4);
  EXPECT_EQ(level_of(R"("Pod rejected while waiting on permit" pod="ns/p" status="x")"), 4);
  EXPECT_EQ(level_of(R"("node usage not found in snapshot" node="n")"), 5);
  EXPECT_EQ(level_of(R"("device allocate success" pod="ns/p" allocate device={})"), 4);
  EXPECT_EQ(level_of(R"("device allocate success" pod="ns/p" best device combination={})"), 5);
  EXPECT_EQ(level_of(R"("device allocate success" pod="ns/p" worst device=[])"), 5);
}

}  // namespace
}  // namespace flowtap::flow
