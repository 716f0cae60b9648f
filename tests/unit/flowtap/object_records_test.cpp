// Records whose header a collector has taken apart, and events as kubectl's JSON has them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

struct Read {
  std::vector<std::string> records;
  std::uint64_t time = 0;
};

Read read(const std::string& bytes) {
  Read out;
  SavedLines lines([&out](const SavedLine& line) {
    if (line.kind != SavedLine::Kind::kRecord) return;
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
  for (const char* other : {R"("kind":"Node")", R"("kind":"Job")"}) {
    std::string line = event;
    line.replace(line.find(R"("kind":"Pod")"), 12, other);
    EXPECT_EQ(read(line).records, Records{}) << other;
  }
}

}  // namespace
}  // namespace flowtap::cli
