// The routes of the stream path: what they accept, and how they refuse the rest.
#include <gtest/gtest.h>

#include "api/routes/routes.hpp"
#include "http/client/client.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

class FlowRoutes : public testing::Test {
 protected:
  FlowRoutes() {
    node_.captured = &flows_;
    flows_.list = {full_flow()};
    flows_.add("pod/ns/p/u/c/0")->append("history");
    flows_.add(7, Outputs::kBoth);
  }
  Answer get(std::string_view target) { return route({"GET", target}, node_); }
  Error refused(std::string_view target) {
    const Answer answer = get(target);
    return http::refusal({answer.status, answer.body});
  }

  ScriptedFlows flows_;
  ScriptedNode node_;
};

TEST_F(FlowRoutes, TheListIsFilteredByWhatIsGiven) {
  EXPECT_TRUE(get("/api/v1/flows").body.starts_with(R"({"flows":[{"id":"pod/shop/web-1/)"));
  EXPECT_EQ(flows_.filter.ns, std::nullopt);
  EXPECT_EQ(get("/api/v1/flows?namespace=a%20b&pod=web+1&group=%E2%82%AC&kind=pod").status, 200U);
  EXPECT_EQ(flows_.filter.ns, "a b");
  EXPECT_EQ(flows_.filter.pod, "web+1");
  EXPECT_EQ(flows_.filter.group, "\u20ac");
  EXPECT_EQ(flows_.filter.kind, "pod");
  EXPECT_FALSE(flows_.filter.history);
  EXPECT_EQ(get("/api/v1/flows?history=true").status, 200U);
  EXPECT_TRUE(flows_.filter.history);
  EXPECT_EQ(refused("/api/v1/flows?history=1").hint, "accepted: true, false");
  EXPECT_EQ(get("/api/v1/flows?namespace=&pod=x&").status, 200U);
  EXPECT_EQ(flows_.filter.ns, std::nullopt);
  EXPECT_EQ(flows_.filter.pod, "x");
}

TEST_F(FlowRoutes, AnUnknownParameterIsNamedAndSoIsWhatIsAccepted) {
  const Error error = refused("/api/v1/flows?namespac%65s=x");
  EXPECT_EQ(error.what, R"(/api/v1/flows does not know the parameter "namespaces")");
  EXPECT_EQ(error.hint, "accepted: namespace, pod, group, kind, history, follow");
  EXPECT_EQ(refused("/api/v1/flows/x/raw?tail=1").hint, "accepted: follow, stream, from");
  EXPECT_EQ(refused("/api/v1/processes/7/raw?follow=true").hint, "accepted: stream");
}

TEST_F(FlowRoutes, ABadQueryIs400) {
  for (const char* query : {"pod=%", "pod=%4", "pod=%4g", "pod=%%41", "pod=a%2", "%zz=1", "pod",
                            "pod=1&pod=2", "pod=1&p%6fd=", "=1"})
    EXPECT_EQ(get("/api/v1/flows?" + std::string(query)).status, 400U) << query;
  for (const char* query : {"follow=yes", "follow=TRUE", "stream=both", "from=0", "follow=true%00"})
    EXPECT_EQ(get("/api/v1/flows/pod%2Fns%2Fp%2Fu%2Fc%2F0/raw?" + std::string(query)).status, 400U) << query;
  EXPECT_EQ(refused("/api/v1/flows/x/raw?from=end").what, R"(from="end" is not accepted)");
  EXPECT_EQ(refused("/api/v1/flows/x/raw?from=end").hint, "accepted: start, now");
}

TEST_F(FlowRoutes, TheIdIsOneSegmentDecodedOnce) {
  flows_.add("unit/100%25.service");
  EXPECT_TRUE(get("/api/v1/flows/pod%2Fns%2fp%2Fu%2Fc%2F0/raw").stream);
  EXPECT_TRUE(get("/api/v1/flows/unit%2F100%2525.service/raw").stream);
  EXPECT_EQ(get("/api/v1/flows/unit%2F100%25.service/raw").status, 404U);
  EXPECT_EQ(get("/api/v1/flows/unit%2F100%.service/raw").status, 400U);
  EXPECT_EQ(refused("/api/v1/flows/pod/ns/p/u/c/0/raw").hint,
            "a flow id is one segment: write each / inside of it as %2F");
  for (const char* path :
       {"/api/v1/flows/", "/api/v1/flows//raw", "/api/v1/flows/raw", "/api/v1/flows/x",
        "/api/v1/flows/x/raw/", "/api/v1/processes/raw", "/api/v1/processes/7", "/api/v1/processes"})
    EXPECT_EQ(get(path).status, 404U) << path;
}

TEST_F(FlowRoutes, AnUnknownFlowIs404) {
  const Error error = refused("/api/v1/flows/pod%2Fns%2Fgone/raw");
  EXPECT_EQ(error.what, R"(no flow "pod/ns/gone" was seen on this node)");
  EXPECT_TRUE(error.hint.starts_with("flowtap flows lists")) << error.hint;
}

TEST_F(FlowRoutes, RawReadsFromTheStartToNowUnlessToldOtherwise) {
  const auto options = [this](const std::string& query) {
    const Answer answer = get("/api/v1/flows/pod%2Fns%2Fp%2Fu%2Fc%2F0/raw" + query);
    EXPECT_EQ(answer.status, 200U) << query;
    EXPECT_EQ(answer.stream && answer.stream->follow, !flows_.options.to_now) << query;
    return flows_.options;
  };
  EXPECT_FALSE(options("").from_now);
  EXPECT_TRUE(options("").to_now);
  EXPECT_EQ(options("").outputs, Outputs::kBoth);
  EXPECT_TRUE(options("?follow=false&from=start").to_now);
  EXPECT_FALSE(options("?follow=true").to_now);
  EXPECT_TRUE(options("?follow=true&from=now").from_now);
  EXPECT_EQ(options("?stream=stdout").outputs, Outputs::kStdout);
  EXPECT_EQ(options("?stream=stderr").outputs, Outputs::kStderr);
}

TEST_F(FlowRoutes, ATapFollowsFromNow) {
  const Answer answer = get("/api/v1/processes/7/raw");
  ASSERT_TRUE(answer.stream);
  EXPECT_TRUE(answer.stream->follow);
  EXPECT_TRUE(flows_.options.from_now);
  EXPECT_FALSE(flows_.options.to_now);
  EXPECT_FALSE(flows_.options.lines);
}

TEST_F(FlowRoutes, ATapHasLinesToo) {
  flows_.add(7, Outputs::kStderr);
  const Answer answer = get("/api/v1/processes/7/log?stream=stderr");
  ASSERT_TRUE(answer.stream);
  EXPECT_TRUE(answer.stream->follow);
  EXPECT_TRUE(flows_.options.from_now && flows_.options.lines);
  EXPECT_FALSE(flows_.options.timestamps);
  EXPECT_EQ(flows_.options.outputs, Outputs::kStderr);
  EXPECT_TRUE(get("/api/v1/processes/7/log?timestamps").stream);
  EXPECT_TRUE(flows_.options.timestamps);
  EXPECT_EQ(get("/api/v1/processes/x/log").status, 400U);
}

TEST_F(FlowRoutes, WhatCannotBeTappedSaysWhy) {
  flows_.no_tap[{8, Outputs::kStderr}] = {"its stderr is /dev/null", "", ENOTSUP};
  flows_.no_tap[{9, Outputs::kBoth}] = {"64 taps are open", "", EMFILE};
  flows_.no_tap[{10, Outputs::kBoth}] = {"the map is full", "make it larger", ENOSPC};
  flows_.no_tap[{12, Outputs::kBoth}] = {"flowtapd may not look", "give it the right", EACCES};
  EXPECT_EQ(get("/api/v1/processes/12/raw").status, 403U);
  EXPECT_EQ(refused("/api/v1/processes/12/raw").hint, "give it the right");
  EXPECT_EQ(get("/api/v1/processes/8/raw?stream=stderr").status, 409U);
  EXPECT_EQ(refused("/api/v1/processes/8/raw?stream=stderr").what, "its stderr is /dev/null");
  EXPECT_EQ(get("/api/v1/processes/9/raw").status, 429U);
  EXPECT_EQ(get("/api/v1/processes/10/raw").status, 500U);
  EXPECT_EQ(refused("/api/v1/processes/10/raw").hint, "make it larger");
  EXPECT_EQ(get("/api/v1/processes/11/raw").status, 404U);
  for (const char* pid : {"0", "-1", "+7", "7x", "x", "4294967296", "%207", "0x7"})
    EXPECT_EQ(get("/api/v1/processes/" + std::string(pid) + "/raw").status, 400U) << pid;
}

TEST_F(FlowRoutes, WithoutTheStreamPathAllAre503) {
  node_.captured = nullptr;
  for (const char* path : {"/api/v1/flows", "/api/v1/flows/x/raw", "/api/v1/processes/7/raw"}) {
    EXPECT_EQ(get(path).status, 503U) << path;
    EXPECT_EQ(refused(path).what, "nothing is captured: the stream path is off") << path;
    EXPECT_FALSE(refused(path).hint.empty());
  }
  EXPECT_EQ(get("/api/v1/flows/x/raw?follow=1").status, 400U);
}

TEST_F(FlowRoutes, OneFollowerTooManyIsRefusedBeforeAnythingIsOpened) {
  flows_.options.outputs = Outputs::kStderr;
  const auto ask = [this](std::string_view target) { return route({"GET", target, false}, node_); };
  for (const char* target :
       {"/api/v1/flows/pod%2Fns%2Fp%2Fu%2Fc%2F0/raw?follow=true", "/api/v1/processes/7/raw"})
    EXPECT_EQ(ask(target).status, 429U) << target;
  EXPECT_EQ(flows_.options.outputs, Outputs::kStderr);
  EXPECT_TRUE(ask("/api/v1/flows/pod%2Fns%2Fp%2Fu%2Fc%2F0/raw").stream);
}

TEST_F(FlowRoutes, CanOnlyBeRead) {
  for (const char* path : {"/api/v1/flows", "/api/v1/flows/x/raw", "/api/v1/processes/7/raw"}) {
    const Answer answer = route({"DELETE", path}, node_);
    EXPECT_EQ(answer.status, 405U) << path;
    EXPECT_EQ(answer.allow, "GET, HEAD");
  }
}

}  // namespace
}  // namespace flowtap::api
