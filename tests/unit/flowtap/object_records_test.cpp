// Records whose header a collector has taken apart, and events as kubectl's JSON has them.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

struct Read {
  std::vector<std::string> records;
  std::vector<KubeEvent> events;
  std::uint64_t time = 0;
};

Read read(const std::string& bytes) {
  Read out;
  SavedLines lines([&out](const SavedLine& line) {
    if (line.event != nullptr) out.events.push_back(*line.event);
    if (line.kind != SavedLine::Kind::kRecord && line.kind != SavedLine::Kind::kEvent) return;
    out.records.emplace_back(line.text);
    out.time = line.time;
  });
  lines.add(bytes, 0);
  lines.finish();
  return out;
}

using Records = std::vector<std::string>;
const std::string kMessage = R"("\"Attempting to schedule pod\" pod=\"a/b\"")";
const std::string kRecord =
    R"(I1126 10:00:00.100001       1 schedule_one.go:97] "Attempting to schedule pod" pod="a/b")";

TEST(ObjectRecords, AHeaderThatWasTakenApartIsPutTogether) {
  for (
      const std::string& line :
      {R"({"message":)" + kMessage +
           R"(,"severity":"I","pid":"1","source":"schedule_one.go:97","timestamp":"2026-11-26T10:00:00.100001Z"})",
       R"({"insertId":"x","jsonPayload":{"pid":"1","message":)" + kMessage +
           R"(},"sourceLocation":{"file":"schedule_one.go:97","line":"97"},"timestamp":"2026-11-26T10:00:00.100001Z"})",
       R"([{"log":{"message":)" + kMessage +
           R"(,"file":"schedule_one.go:97"},"time":"2026-11-26T11:00:00.100001+01:00"}])"}) {
    const Read found = read(line + '\n');
    EXPECT_EQ(found.records, Records{kRecord}) << line;
    EXPECT_EQ(found.time, 1795687200100001000U) << line;
  }
}

TEST(ObjectRecords, WhatHasNoPlaceInAProgramIsNone) {
  for (const std::string& line :
       {R"({"message":)" + kMessage + R"(,"file":"notes.txt","from":"a friend, in x.go"})",
        std::string(R"({"message":"\"quoted\" and more","source":"a.go:1"})"),
        std::string(R"({"message":"it said \"Attempting to schedule pod\" pod=\"a/b\"","source":"a.go:1"})")})
    EXPECT_EQ(read(line + '\n').records, Records{}) << line;
}

// HAMi's scheduler writes some.
TEST(ObjectRecords, AMessageWithoutPairsHasItsSeverityBesideIt) {
  const std::string place = R"("sourceLocation":{"file":"scheduler.go","line":"360"})";
  const std::string record = R"({"jsonPayload":{"message":"After Binding Process"},)" + place;
  EXPECT_EQ(read(record + R"(,"severity":"INFO","timestamp":"2026-11-26T10:00:00.100001Z"})" + '\n').records,
            Records{"I1126 10:00:00.100001       1 scheduler.go:1] After Binding Process"});
  EXPECT_EQ(
      read(
          R"({"severity":"I","source":"scheduler.go:360","message":"After Binding Process","time":"2026-11-26T10:00:00Z"})"
          "\n")
          .records,
      Records{"I1126 10:00:00.000000       1 scheduler.go:360] After Binding Process"});
  EXPECT_EQ(read(record + "}\n").records, Records{}) << "any program's may look so";
}

TEST(ObjectRecords, AnotherProgramsMessageWithoutPairsIsNone) {
  const std::string end = R"(,"timestamp":"2026-11-26T10:00:00.100001Z"})"
                          "\n";
  for (const std::string& line : Records{
           R"({"severity":"INFO","sourceLocation":{"file":"main.go","line":"12"},"message":"reconciled")" +
               end,
           R"({"severity":"INFO","caller":"ctl/main.go:12","message":"After Binding Process")" + end,
           R"({"severity":"INFO","ts":1764151200.1,"source":"main.go:12","message":"After Binding Process"})"
           "\n"})
    EXPECT_EQ(read(line).records, Records{}) << line;
}

std::string around_lines(const std::string& text, const std::string& before, const std::string& behind) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out.append(before).append(line).append(behind).append(1, '\n');
  return out;
}

TEST(ObjectRecords, EventsAreReadOneByOneOrInAList) {
  const std::string event =
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"web-0.17","namespace":"shop"},"involvedObject":{"kind":"Pod","namespace":"shop","name":"web-0"},"reason":"FailedScheduling","message":"0/2 nodes are available: 2 Insufficient \"x\".","type":"Warning","lastTimestamp":"2026-11-26T10:00:00Z"})";
  const std::string record =
      R"(I1126 10:00:00.000000       1 event.go:1] "Event occurred" object="shop/web-0" kind="Pod" apiVersion="v1" type="Warning" reason="FailedScheduling" message="0/2 nodes are available: 2 Insufficient \"x\".")";
  EXPECT_EQ(read(event + '\n').records, Records{record});
  EXPECT_EQ(read(R"({"apiVersion":"v1","items":[)" + event + ',' + event + R"(],"kind":"List"})").records,
            (Records{record, record}));
  EXPECT_EQ(
      read(
          "{\n  \"items\": [\n    {\n      \"kind\": \"Event\",\n      \"involvedObject\": {\n        "
          "\"kind\": \"Pod\",\n        \"namespace\": \"shop\",\n        \"name\": \"web-0\"\n      },\n    "
          "  \"reason\": \"FailedScheduling\",\n      \"message\": \"0/2 nodes are available: 2 Insufficient "
          "\\\"x\\\".\",\n      \"type\": \"Warning\",\n      \"lastTimestamp\": \"2026-11-26T10:00:00Z\"\n  "
          "  "
          "}\n  ]\n}\n")
          .records,
      Records{record})
      << "as kubectl sets it out";
  const std::string quoted = around_lines("{\n  \"items\": [\n" + event + "\n  ]\n}\n", "> ", "\r");
  EXPECT_EQ(read(quoted).records, Records{record});
  for (const char* other : {R"("kind":"Node")", R"("kind":"Job")"}) {
    std::string line = event;
    line.replace(line.find(R"("kind":"Pod")"), 12, other);
    EXPECT_EQ(read(line).records, Records{}) << other;
  }
}

// gcloud logging read, and aws logs get-log-events --output yaml: strings may be folded.
TEST(ObjectRecords, EntriesOfALogInYamlAreItsRecords) {
  const std::string around =
      "logName: projects/p/logs/x\nresource:\n  labels:\n    cluster_name: c\n  type: k8s\n";
  const std::string entry =
      "---\ninsertId: a1\njsonPayload:\n  message: '\"Attempting to schedule pod\" pod=\"a/b\"'\n" + around +
      "severity: INFO\nsourceLocation:\n  file: schedule_one.go:97\n  line: '97'\n"
      "timestamp: '2026-11-26T10:00:00.100001Z'\n";
  EXPECT_EQ(read(entry + entry).records, (Records{kRecord, kRecord}));
  const std::string text =
      "I1126 10:00:00.100001       1 a.go:97] \"No fit\" err=\"1 didn't fit, 2 did\" pod=\"a/b\"";
  const std::string folded =
      "'I1126 10:00:00.100001       1 a.go:97] \"No fit\" err=\"1 didn''t\n    fit, 2 did\" pod=\"a/b\"'\n";
  for (const char* const key :
       {"---\ninsertId: a1\n", "- ingestionTime: 1795687200100\n  ", "- eventId: '1'\n  "}) {
    const std::string name = key[1] == ' ' ? "message: " : "textPayload: ";
    const std::string end =
        key[1] == ' ' ? "  timestamp: 1795687200100\n" : "timestamp: '2026-11-26T10:00:00Z'\n";
    EXPECT_EQ(read(key + name + folded + end + key + name + folded + end).records, (Records{text, text}))
        << key;
  }
}

// As kubectl prints the list, with what an event has beside.
TEST(ObjectRecords, EventsInYamlAreThoseInJson) {
  const KubeEvent event{
      .ns = "shop",
      .pod = "web-0",
      .type = "Warning",
      .reason = "FailedScheduling",
      .message = R"(0/2 nodes are available: 2 node(s) didn't have "x". preemption: none helps.)",
      .from = "batch-scheduler",
      .time = 1795687200000000000U};
  const auto yaml = [](const std::string& message, bool list) {
    const std::string indent = list ? "  " : "";
    std::string out = list ? "apiVersion: v1\nitems:\n- " : "";
    out += "action: Scheduling\n";
    for (const std::string& line : {std::string("apiVersion: v1"),
                                    std::string("eventTime: \"2026-11-26T09:59:59.000001Z\""),
                                    std::string("firstTimestamp: null"),
                                    std::string("involvedObject:"),
                                    std::string("  apiVersion: v1"),
                                    std::string("  kind: Pod"),
                                    std::string("  name: web-0"),
                                    std::string("  namespace: shop"),
                                    std::string("kind: Event"),
                                    std::string("lastTimestamp: \"2026-11-26T10:00:00Z\""),
                                    "message: " + message,
                                    std::string("metadata:"),
                                    std::string("  managedFields:"),
                                    std::string("  - fieldsType: FieldsV1"),
                                    std::string("    message: other"),
                                    std::string("  name: web-0.17"),
                                    std::string("reason: FailedScheduling"),
                                    std::string("reportingComponent: batch-scheduler"),
                                    std::string("source: {}"),
                                    std::string("type: Warning")})
      out += indent + line + '\n';
    return out + (list ? "kind: List\nmetadata:\n  resourceVersion: \"\"\n" : "");
  };
  for (const bool list : {false, true}) {
    const std::string indent = list ? "    " : "  ";
    for (const std::string& message :
         {std::string(R"('0/2 nodes are available: 2 node(s) didn''t have "x". preemption: none helps.')"),
          "'0/2 nodes are available: 2 node(s) didn''t have\n" + indent + "\"x\". preemption: none helps.'",
          std::string(R"("0/2 nodes are available: 2 node(s) didn't have \"x\". preemption: none helps.")"),
          R"("0/2 nodes are available: 2 node(s) didn't\)" + ('\n' + indent) +
              R"(\ have \"x\". preemption: none helps.")",
          std::string(R"(0/2 nodes are available: 2 node(s) didn't have "x". preemption: none helps.)"),
          "0/2 nodes are available: 2 node(s) didn't have \"x\".\n" + indent + "preemption: none helps.",
          "|-\n" + indent + R"(0/2 nodes are available: 2 node(s) didn't have "x". preemption: none helps.)",
          ">\n" + indent + "0/2 nodes are available: 2 node(s) didn't have\n" + indent +
              "\"x\". preemption: none helps."})
      EXPECT_EQ(read(yaml(message, list)).events, std::vector<KubeEvent>{event})
          << message << (list ? ", listed" : "");
  }
  for (const bool list : {false, true}) {
    const std::string text =
        yaml(R"('0/2 nodes are available: 2 node(s) didn''t have "x". preemption: none helps.')", list);
    for (const auto& [before, behind] : {std::pair{"", "\r"}, {"> ", ""}, {"> > ", "\r"}})
      EXPECT_EQ(read(around_lines(text, before, behind)).events, std::vector<KubeEvent>{event}) << before;
  }
  const std::string one = yaml("'0/2 nodes'", false);
  EXPECT_EQ(read("---\n" + one + "---\n" + one).events.size(), 2U);
  EXPECT_EQ(read(one + kRecord + '\n').records.size(), 2U) << "a log goes on behind it";
  EXPECT_EQ(read("apiVersion: v1\nkind: Pod\n" + kRecord + '\n').records, Records{kRecord});
}

}  // namespace
}  // namespace flowtap::cli
