// How containers ended: the reader understands what the writer writes.
#include "api/json/exits_json.hpp"

#include <gtest/gtest.h>

#include "api/routes/routes.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

using Time = std::chrono::system_clock::time_point;

constexpr Time kTime(std::chrono::seconds(1'700'000'000));

Exits two() {
  return {.exits = {{.container = "app",
                     .flow = "pod/a/b/u/app/0",
                     .time = kTime,
                     .code = 42,
                     .signal = {},
                     .oom = false},
                    {.container = "big",
                     .flow = "pod/a/b/u/big/0",
                     .time = kTime,
                     .code = {},
                     .signal = 9,
                     .oom = true}},
          .oom_kills = {}};
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

TEST(ExitsJson, OfWhatNeverStartedOfAServiceAndOfKills) {
  const Exits all{.exits = {{.container = "app",
                             .flow = "f",
                             .time = kTime,
                             .code = {},
                             .signal = {},
                             .oom = false,
                             .started = false,
                             .process = "runc:[2:INIT]",
                             .of = {.ns = "a", .pod = "b", .id = "1f8b", .unit = {}}},
                            {.container = {},
                             .flow = "unit/n.service",
                             .time = kTime,
                             .code = 1,
                             .signal = {},
                             .oom = false,
                             .started = true,
                             .success = true,
                             .process = "nginx",
                             .of = {.ns = {}, .pod = {}, .id = {}, .unit = "n.service"}}},
                  .oom_kills = {{.container = "app",
                                 .flow = "f",
                                 .time = kTime,
                                 .count = 3,
                                 .process = "hog",
                                 .of = {.ns = "a", .pod = "b", .id = "1f8b", .unit = {}}}}};
  const std::string json = exits_to_json(all);
  EXPECT_EQ(
      json,
      R"({"exits":[{"container":"app","time":"2023-11-14T22:13:20.000000000Z","started":false,"oom":false,)"
      R"("process":"runc:[2:INIT]","flow":"f","namespace":"a","pod":"b","id":"1f8b"},)"
      R"({"unit":"n.service","time":"2023-11-14T22:13:20.000000000Z","code":1,"oom":false,"success":true,)"
      R"("process":"nginx","flow":"unit/n.service"}],"oom_kills":[{"container":"app","time":"2023-11-14T22:13:20.000000000Z",)"
      R"("count":3,"process":"hog","flow":"f","namespace":"a","pod":"b","id":"1f8b"}]})");
  EXPECT_EQ(exits_from_json(json).value(), all);
}

TEST(ExitsJson, WhatIsNoneIsLeftOut) {
  EXPECT_FALSE(exits_from_json("[]"));
  const auto exits = exits_from_json(
      R"({"exits":[{"container":"a"},{"time":"2023-11-14T22:13:20Z"},7,
          {"container":"b","unit":"b","time":"2023-11-14T22:13:20Z"},
          {"container":"b","time":"2023-11-14T22:13:20Z","code":256,"signal":-1,"oom":"yes","started":0}],
          "oom_kills":[{"container":"b","time":"2023-11-14T22:13:20Z","count":0},{"container":"b","count":1}]})");
  ASSERT_TRUE(exits);
  ASSERT_EQ(exits->exits.size(), 1U);
  const ContainerExit& exit = exits->exits.at(0);
  EXPECT_FALSE(exit.code || exit.signal || exit.oom);
  EXPECT_TRUE(exit.started);
  EXPECT_TRUE(exits->oom_kills.empty());
}

TEST(ExitsRoute, IsEmptyWhereNothingWasSeen) {
  EXPECT_EQ(route({"GET", "/api/v1/namespaces/a/pods/b/exits"}, ScriptedNode()).body, R"({"exits":[]})");
  EXPECT_EQ(route({"GET", "/api/v1/exits?name=b"}, ScriptedNode()).body, R"({"exits":[]})");
  EXPECT_EQ(route({"GET", "/api/v1/exits"}, ScriptedNode()).status, 200U);
}

}  // namespace
}  // namespace flowtap::api
