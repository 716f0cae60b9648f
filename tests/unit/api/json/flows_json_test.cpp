// The list of flows and its times: the reader gets exactly what the writer wrote.
#include "api/json/flows_json.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "tests/unit/api/scripted_flows.hpp"

namespace flowtap::api {
namespace {

using std::chrono::nanoseconds;
using std::chrono::system_clock;

TEST(FlowsJson, IsTheContract) {
  EXPECT_EQ(
      flows_to_json({full_flow()}),
      R"({"flows":[{"id":"pod/shop/web-1/3f0d6a1e/nginx/2","kind":"pod","namespace":"shop","pod":"web-1",)"
      R"("uid":"3f0d6a1e","container":"nginx","restart":2,"image":"registry/nginx:1.25",)"
      R"("runtime":"containerd","group":"checkout","bytes":123456789,"lines":1000,)"
      R"("first":"2023-11-14T22:13:20.000000001Z","last":"2023-11-14T22:13:21.020000000Z","open":true,)"
      R"("missing_bytes":42,"found_bytes":7,"more_before":true,"audit":"differs","suspect":true,"streams":[)"
      R"({"name":"stdout","capture":"pipe","bytes":123456000,"missing_bytes":42,"open":true},)"
      R"({"name":"stderr","capture":"tty","bytes":789,"missing_bytes":0,"open":false}]}]})");
  EXPECT_EQ(flows_to_json({}), R"({"flows":[]})");
}

TEST(FlowsJson, WhatIsAbsentHasNoMember) {
  FlowStatus flow;
  flow.id = "proc/7-99";
  flow.kind = "proc";
  EXPECT_EQ(
      flows_to_json({flow}),
      R"({"flows":[{"id":"proc/7-99","kind":"proc","bytes":0,"lines":0,"open":false,"missing_bytes":0,"found_bytes":0,"suspect":false,"streams":[]}]})");
}

TEST(FlowsJson, ReadsBackAsItself) {
  FlowStatus bare;
  bare.id = "unit/a\"b\n\x01.service";
  FlowStatus second;
  second.id = "container/again-c55c4ecf3dea@2";
  second.run = 2;
  second.ended = system_clock::time_point(std::chrono::seconds(1'700'000'000));
  const std::vector<FlowStatus> flows = {full_flow(), bare, second};
  EXPECT_TRUE(flows_to_json({second}).contains(R"("ended":"2023-11-14T22:13:20.000000000Z","open":false)"));
  const auto again = flows_from_json(flows_to_json(flows));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, flows);
}

TEST(FlowsJson, IsJsonWhateverTheNamesAre) {
  FlowStatus flow;
  flow.id = "proc/\xff\xfe-1";
  flow.image = "\xc3\xa4 \xed\xa0\x80";
  const std::string body = flows_to_json({flow});
  boost::json::error_code error;
  boost::json::parse(body, error);
  EXPECT_FALSE(error) << body;
  EXPECT_EQ(flows_from_json(body)->at(0).id, R"(proc/\xff\xfe-1)");
  EXPECT_EQ(flows_from_json(body)->at(0).image, "\xc3\xa4 \\xed\\xa0\\x80");
}

TEST(FlowsJson, WhatMakesNoSenseKeepsItsDefault) {
  const auto flows =
      flows_from_json(R"({"flows":[{"id":7,"bytes":-1,"first":"yesterday","streams":[1]},"x"]})");
  ASSERT_TRUE(flows);
  ASSERT_EQ(flows->size(), 1U);
  EXPECT_EQ(flows->at(0), FlowStatus{});
  EXPECT_FALSE(flows_from_json("[]"));
}

}  // namespace
}  // namespace flowtap::api
