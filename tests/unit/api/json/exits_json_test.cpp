// How containers ended: the reader understands what the writer writes.
#include "api/json/exits_json.hpp"

#include <gtest/gtest.h>

#include "api/routes/routes.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

std::vector<ContainerExit> two() {
  const std::chrono::system_clock::time_point time(std::chrono::seconds(1'700'000'000));
  return {
      {.container = "app", .flow = "pod/a/b/u/app/0", .time = time, .code = 42, .signal = {}, .oom = false},
      {.container = "big", .flow = "pod/a/b/u/big/0", .time = time, .code = {}, .signal = 9, .oom = true}};
}

TEST(ExitsJson, IsTheContractAndReadsBack) {
  const std::string json = exits_to_json(two());
  EXPECT_EQ(
      json,
      R"({"exits":[{"container":"app","time":"2023-11-14T22:13:20.000000000Z","code":42,"oom":false,)"
      R"("flow":"pod/a/b/u/app/0"},{"container":"big","time":"2023-11-14T22:13:20.000000000Z","signal":9,)"
      R"("oom":true,"flow":"pod/a/b/u/big/0"}]})");
  EXPECT_EQ(exits_from_json(json).value(), two());
}

TEST(ExitsJson, WhatIsNoneIsLeftOut) {
  EXPECT_FALSE(exits_from_json("[]"));
  const auto exits = exits_from_json(
      R"({"exits":[{"container":"a"},{"time":"2023-11-14T22:13:20Z"},7,
          {"container":"b","time":"2023-11-14T22:13:20Z","code":256,"signal":-1,"oom":"yes"}]})");
  ASSERT_TRUE(exits);
  ASSERT_EQ(exits->size(), 1U);
  EXPECT_FALSE(exits->at(0).code || exits->at(0).signal || exits->at(0).oom);
}

TEST(ExitsRoute, IsEmptyWhereNothingWasSeen) {
  EXPECT_EQ(route({"GET", "/api/v1/namespaces/a/pods/b/exits"}, ScriptedNode()).body, R"({"exits":[]})");
}

}  // namespace
}  // namespace flowtap::api
