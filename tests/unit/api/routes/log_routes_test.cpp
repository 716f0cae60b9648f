// Kubernetes' parameters and its errors for wrong ones; which flow is a pod's log.
#include "api/routes/log_routes.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "api/pod_flows.hpp"
#include "api/routes/route_table.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

using namespace std::chrono_literals;
using std::chrono::system_clock;

const system_clock::time_point kNow{1'800'000'000s};

Result<LogReadOptions> parse(std::string_view query) {
  const auto parameters = Parameters::parse(query, flags_of(pod_log_parameters()));
  EXPECT_TRUE(parameters);
  return parse_log_options(*parameters, kNow);
}

std::string refusal(std::string_view query) {
  const auto options = parse(query);
  return options ? "accepted" : options.error().what;
}

TEST(LogReadOptions, AsKubernetesHasThem) {
  const auto none = parse("");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->follow || none->timestamps || none->tail_lines || none->since || none->limit_bytes);
  const auto all = parse("follow=true&timestamps=1&tailLines=0&sinceSeconds=60&limitBytes=10&pretty=true");
  ASSERT_TRUE(all) << all.error().what;
  EXPECT_TRUE(all->follow);
  EXPECT_TRUE(all->timestamps);
  EXPECT_EQ(all->tail_lines, 0U);
  EXPECT_EQ(all->limit_bytes, 10U);
  EXPECT_EQ(all->since, kNow - 60s);
  EXPECT_EQ(parse("sinceTime=1970-01-01T01:00:05%2B01:00")->since, system_clock::time_point(5s));
  EXPECT_EQ(parse("stream=Stderr")->outputs, Outputs::kStderr);
  EXPECT_EQ(parse("stream=All&tailLines=5")->tail_lines, 5U);
  EXPECT_FALSE(parse("follow=false")->follow);
  EXPECT_FALSE(parse("format=text")->otel);
  EXPECT_TRUE(parse("format=otel")->otel);
  EXPECT_EQ(refusal("format=xml"),
            R"(format: Unsupported value: "xml": supported values: "text", "json", "otel")");
  EXPECT_TRUE(parse("format=json")->json);
  EXPECT_EQ(parse("")->gaps, std::nullopt);
  EXPECT_EQ(parse("gaps=true")->gaps, true);
  EXPECT_EQ(parse("gaps=false")->gaps, false);
  EXPECT_TRUE(parse("sinceSeconds=9223372036854775807")) << "a time that no clock has";
}

TEST(LogReadOptions, FlagsAreTrueUnlessTheyAreFalseOr0) {
  for (const char* no : {"", "follow=false", "follow=False", "follow=FALSE", "follow=%66alse", "follow=0"})
    EXPECT_FALSE(parse(no)->follow) << no;
  for (const char* yes : {"follow", "follow=", "follow=true", "follow=1", "follow=00", "follow=no",
                          "follow=fals", "follow=falsee", "timestamps&follow&tailLines="})
    EXPECT_TRUE(parse(yes)->follow) << yes;
  EXPECT_TRUE(parse("timestamps")->timestamps);
  EXPECT_FALSE(parse("timestamps=False")->timestamps);
  EXPECT_FALSE(Parameters::parse("tailLines", flags_of(pod_log_parameters())))
      << "what is no flag needs a value";
}

TEST(LogReadOptions, WrongOnesAreRefusedInItsWords) {
  EXPECT_EQ(refusal("tailLines=-1"), "tailLines: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(refusal("limitBytes=0"), "limitBytes: Invalid value: 0: must be greater than 0");
  EXPECT_EQ(refusal("sinceSeconds=0"), "sinceSeconds: Invalid value: 0: must be greater than 0");
  EXPECT_EQ(refusal("sinceSeconds=1&sinceTime=1970-01-01T00:00:05Z"),
            "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified");
  EXPECT_EQ(refusal("tailLines=1x"), R"(tailLines: Invalid value: "1x": must be a whole number)");
  EXPECT_EQ(refusal("sinceTime=yesterday"),
            R"(sinceTime: Invalid value: "yesterday": must be a time in the form of RFC 3339)");
  EXPECT_EQ(refusal("stream=both"),
            R"(stream: Unsupported value: "both": supported values: "All", "Stdout", "Stderr")");
  EXPECT_EQ(refusal("stream=Stdout&tailLines=1"),
            "Forbidden: `tailLines` and specific `stream` are mutually exclusive for now");
}

FlowStatus container(const std::string& uid, const std::string& name, std::optional<std::uint64_t> restart,
                     std::chrono::seconds first = 0s, bool open = false) {
  FlowStatus flow;
  flow.kind = "pod";
  flow.ns = "ns";
  flow.pod = "web";
  flow.uid = uid;
  flow.container = name;
  flow.restart = restart;
  flow.id = "pod/ns/web/" + uid + "/" + name + "/" + (restart ? std::to_string(*restart) : "id-x");
  if (first != 0s) flow.first = system_clock::time_point(first);
  flow.open = open;
  return flow;
}

std::string found(const std::vector<FlowStatus>& flows, const char* name = nullptr, bool previous = false) {
  const std::string wanted = name != nullptr ? name : "";
  const auto flow = find_pod_flow(flows, "ns", "web", name != nullptr ? &wanted : nullptr, previous);
  return flow ? *flow : std::to_string(flow.error().code == EINVAL ? 400 : 404) + " " + flow.error().what;
}

TEST(PodFlow, TheNewestRunOfTheNewestPod) {
  const std::vector<FlowStatus> one{container("u1", "app", 0, 10s), container("u1", "app", 2, 30s),
                                    container("u1", "app", 10, 40s), container("u1", "POD", 0, 5s)};
  EXPECT_EQ(found(one), "pod/ns/web/u1/app/10");
  EXPECT_EQ(found(one, "app", true), "pod/ns/web/u1/app/2");
  const std::vector<FlowStatus> again{container("u2", "app", 0, 10s), container("u1", "app", 7, 5s)};
  EXPECT_EQ(found(again), "pod/ns/web/u2/app/0");
  EXPECT_EQ(found(again, nullptr, true), R"(400 previous terminated container "app" in pod "web" not found)");
  EXPECT_EQ(found({container("u1", "app", 0), container("u2", "app", 0, 0s, true)}), "pod/ns/web/u2/app/0")
      << "nothing was said in either, but one is open";
  EXPECT_EQ(found({container("u1", "app", 0, 10s), container("u2", "app", 0, 0s, true)}),
            "pod/ns/web/u2/app/0")
      << "the new one has said nothing yet";
  EXPECT_EQ(found({container("u1", "app", std::nullopt), container("u1", "app", 0)}), "pod/ns/web/u1/app/0");
}

TEST(PodFlow, AsKubernetesRefuses) {
  const std::vector<FlowStatus> two{container("u1", "app", 0), container("u1", "side", 0)};
  EXPECT_EQ(found(two), "400 a container name must be specified for pod web, choose one of: [app side]");
  EXPECT_EQ(found(two, "side"), "pod/ns/web/u1/side/0");
  EXPECT_EQ(found(two, "db"), "400 container db is not valid for pod web");
  EXPECT_EQ(found({}), R"(404 no log of the pod "ns/web" is known on this node)");
}

// Kubernetes takes the only app container, too: the init containers have ended when it runs.
TEST(PodFlow, TheOnlyContainerThatRunsIsTheDefault) {
  const FlowStatus init = container("u1", "a-init", 0, 10s);
  const FlowStatus app = container("u1", "app", 1, 20s, true);
  EXPECT_EQ(found({init, app, container("u1", "app", 0, 15s)}), "pod/ns/web/u1/app/1");
  EXPECT_EQ(found({init, app, container("u1", "app", 0, 15s)}, nullptr, true), "pod/ns/web/u1/app/0");
  EXPECT_EQ(found({init, app}, "a-init"), "pod/ns/web/u1/a-init/0");
  EXPECT_EQ(found({init, app, container("u1", "z-init", 0, 11s)}), "pod/ns/web/u1/app/1");
  EXPECT_EQ(found({container("u1", "a-init", 0, 10s, true), container("u2", "app", 0, 5s)}),
            "pod/ns/web/u1/a-init/0")
      << "a pod of that name and uid with one container";
  const std::string choose =
      "400 a container name must be specified for pod web, choose one of: [a-init app]";
  EXPECT_EQ(found({container("u1", "a-init", 0, 10s, true), app}), choose) << "both run";
  EXPECT_EQ(found({init, container("u1", "app", 1, 20s)}), choose) << "both have ended";
}

TEST(LogRoutes, GiveTheFlowsLines) {
  ScriptedFlows flows;
  ScriptedNode node;
  node.captured = &flows;
  flows.list = {container("u1", "app", 3)};
  flows.add("pod/ns/web/u1/app/3")->append("hello\n");
  const auto get = [&](std::string_view target) { return route({"GET", target}, node); };
  const Answer answer = get("/api/v1/namespaces/ns/pods/web/log?tailLines=7&container=app&timestamps=true");
  ASSERT_EQ(answer.status, 200U) << answer.body;
  ASSERT_TRUE(answer.stream);
  EXPECT_EQ(answer.stream->type, "text/plain");
  EXPECT_FALSE(answer.stream->follow);
  EXPECT_EQ(flows.log_options.tail_lines, 7U);
  EXPECT_TRUE(flows.log_options.timestamps);
  EXPECT_EQ(flows.log_options.gaps, false) << "a client of Kubernetes gets the container's bytes alone";
  EXPECT_EQ(flows.filter.pod, "web");
  EXPECT_TRUE(get("/api/v1/namespaces/ns/pods/web/log?gaps=true").stream);
  EXPECT_EQ(flows.log_options.gaps, true);
  EXPECT_TRUE(get("/api/v1/namespaces/ns/pods/web/log?follow=true").stream->follow);
  EXPECT_TRUE(get("/api/v1/flows/pod%2Fns%2Fweb%2Fu1%2Fapp%2F3/log").stream);
  for (const auto& [target, whole] :
       {std::pair{"namespaces/ns/pods/web/log?tailLines=7", false},
        std::pair{"namespaces/ns/pods/web/log?tailLines=7&wholeLines=true", true},
        std::pair{"flows/pod%2Fns%2Fweb%2Fu1%2Fapp%2F3/log?tailLines=7", true},
        std::pair{"flows/pod%2Fns%2Fweb%2Fu1%2Fapp%2F3/log?tailLines=7&wholeLines=false", false}}) {
    EXPECT_TRUE(get("/api/v1/" + std::string(target)).stream) << target;
    EXPECT_EQ(flows.log_options.whole_lines, whole) << target;
  }
  EXPECT_EQ(get("/api/v1/flows/gone/log").status, 404U);
  flows.list.push_back(container("u1", "app", 4));
  EXPECT_TRUE(get("/api/v1/flows/pod%2Fns%2Fweb%2Fu1%2Fapp%2F4/log?previous=true").stream)
      << "that of restart 3";
  EXPECT_EQ(get("/api/v1/flows/pod%2Fns%2Fweb%2Fu1%2Fapp%2F4/log").status, 404U);
  EXPECT_EQ(get("/api/v1/flows/pod%2Fns%2Fweb%2Fu1%2Fapp%2F3/log?previous").status, 400U);
  EXPECT_EQ(get("/api/v1/flows/gone/log?previous=true").status, 404U);
  flows.list.pop_back();
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/other/log").status, 404U);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/log?container=x").status, 400U);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/log?previous=true").status, 400U);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/log?previous").status, 400U);
  EXPECT_FALSE(get("/api/v1/namespaces/ns/pods/web/log?previous=False&follow=False").stream->follow);
  EXPECT_TRUE(get("/api/v1/namespaces/ns/pods/web/log?follow&insecureSkipTLSVerifyBackend").stream->follow);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/log?container").status, 400U);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/log?tailLines=-1").status, 400U);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/log?since=5m").status, 400U) << "no such parameter";
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods//log").status, 404U);
  EXPECT_EQ(get("/api/v1/namespaces/ns/pods/web/x/log").status, 404U);
  EXPECT_EQ(route({"GET", "/api/v1/namespaces/ns/pods/web/log?follow=true", false}, node).status, 429U);
}

}  // namespace
}  // namespace flowtap::api
