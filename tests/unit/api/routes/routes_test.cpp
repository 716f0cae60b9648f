// Finds the answer to a request.
#include "api/routes/routes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "http/client/client.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

TEST(Routes, AnswerTheFourPaths) {
  ScriptedNode node;
  node.totals = full_snapshot();
  EXPECT_EQ(route({"GET", "/healthz"}, node).body, R"({"status":"ok"})");
  EXPECT_EQ(route({"GET", "/readyz"}, node).body, R"({"status":"ready"})");
  for (const char* path : {"/healthz", "/readyz", "/api/v1/status", "/api/v1/stats"})
    for (const char* method : {"GET", "HEAD"}) EXPECT_EQ(route({method, path}, node).status, 200U) << path;
}

TEST(Routes, NotReadyIs503WithTheReason) {
  ScriptedNode node;
  node.is_ready = false;
  const Answer answer = route({"GET", "/readyz"}, node);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body, R"({"error":"not ready: the programs are being attached","hint":"wait"})");
  EXPECT_EQ(route({"GET", "/healthz"}, node).status, 200U);
}

TEST(Routes, NoTotalsYetIs503) {
  const ScriptedNode node;
  EXPECT_EQ(route({"GET", "/api/v1/stats"}, node).status, 503U);
}

TEST(Routes, UnknownPathIs404AndNamesTheOthers) {
  const ScriptedNode node;
  for (const char* path :
       {"/", "/metrics", "/healthz/", "/HEALTHZ", "/%68ealthz", "//healthz", "/api/v1/status/x"})
    EXPECT_EQ(route({"GET", path}, node).status, 404U) << path;
  const Error error = http::refusal({404, route({"GET", "/nope\x1b\xff"}, node).body});
  EXPECT_EQ(error.what, R"(there is no "/nope\x1b\xff")");
  EXPECT_EQ(error.hint,
            "routes: /healthz, /readyz, /api/v1/status, /api/v1/stats, /api/v1/workloads, /api/v1/flows, "
            "/api/v1/flows/{id}/raw, "
            "/api/v1/flows/{id}/log, /api/v1/namespaces/{namespace}/pods/{name}/log, "
            "/api/v1/namespaces/{namespace}/pods/{name}/schedulerlog, "
            "/api/v1/namespaces/{namespace}/pods/{name}/exits, /api/v1/exits, /api/v1/schedulerlogs, "
            "/api/v1/processes/{pid}/raw, /api/v1/processes/{pid}/log, /openapi.json");
}

TEST(Routes, WrongMethodIs405WithAllow) {
  const ScriptedNode node;
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", "BREW"}) {
    const Answer answer = route({method, "/healthz"}, node);
    EXPECT_EQ(answer.status, 405U) << method;
    EXPECT_EQ(answer.allow, "GET, HEAD");
  }
  EXPECT_EQ(route({"POST", "/nope"}, node).status, 404U);
}

TEST(Routes, WhatIsNoPathOrHasParametersIs400) {
  const ScriptedNode node;
  for (const char* target : {"", "*", "http://x/healthz", "healthz", "/healthz?a=b", "/api/v1/status?pretty"})
    EXPECT_EQ(route({"GET", target}, node).status, 400U) << target;
  EXPECT_EQ(route({"GET", "/healthz?"}, node).status, 200U);
}

TEST(Routes, AViewThatThrowsIs500AndNothingMore) {
  const struct Broken : ScriptedNode {
    [[nodiscard]] StatusReport status() const override { throw std::runtime_error("secret"); }
  } node;
  const Answer answer = route({"GET", "/api/v1/status"}, node);
  EXPECT_EQ(answer.status, 500U);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace flowtap::api
