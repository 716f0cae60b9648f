// A log's objects, when several containers' are shown together.
#include "api/json/log_json.hpp"

#include <gtest/gtest.h>

namespace flowtap::api {
namespace {

TEST(LogJson, SaysWhoseALineIs) {
  FlowStatus flow;
  flow.ns = "shop";
  flow.pod = "web-0";
  flow.container = "app";
  EXPECT_EQ(log_json_of(R"({"time":"T","text":"x","cut":true})", flow),
            R"({"time":"T","namespace":"shop","pod":"web-0","container":"app","text":"x","cut":true})");
  EXPECT_EQ(log_json_of(R"({"text":"[flowtap: x]"})", flow),
            R"({"namespace":"shop","pod":"web-0","container":"app","text":"[flowtap: x]"})");
  EXPECT_EQ(log_json_of(R"({"text":"x"})", {}), R"({"text":"x"})");
}

}  // namespace
}  // namespace flowtap::api
