// The list of workloads: measured values are there, all others are absent, and a client can read whatever comes.
#include "api/json/workloads_json.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <limits>

#include "api/routes/routes.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

using enum stats::StatId;

std::vector<std::string> web(const std::string& container) {
  return {"pod", "shop", "web-0", container, "web"};
}

stats::SnapshotPtr snapshot() {
  auto snapshot = std::make_shared<stats::Snapshot>();
  snapshot->time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'000'500));
  snapshot->steady = std::chrono::steady_clock::time_point(std::chrono::milliseconds(70'500));
  snapshot->measured = std::chrono::steady_clock::time_point(std::chrono::milliseconds(70'000));
  snapshot->series = {
      {&stats::stat(kWORKLOAD_CPU), web("app"), 1.5},
      {&stats::stat(kWORKLOAD_CPU), {"unit", "", "", "", "ssh\xff.service"}, 0.25},
      {&stats::stat(kWORKLOAD_CPU), {"pod", "other", "web-0", "app", ""}, 3.0},
      {&stats::stat(kWORKLOAD_DISPATCHES), web("app"), std::uint64_t{18446744073709551615U}},
      {&stats::stat(kWORKLOAD_MEMORY_USAGE), web("app"), std::numeric_limits<double>::quiet_NaN()},
      {&stats::stat(kWORKLOAD_LOG_BYTES), web("sidecar"), std::uint64_t{7}},
      {&stats::stat(kPROCESS_RSS), {}, 4096.0},
      {&stats::stat(kWSYNC), {"kernel", "wsync"}, std::uint64_t{5}},
  };
  return snapshot;
}

TEST(WorkloadsJson, IsTheContract) {
  EXPECT_EQ(
      workloads_to_json(*snapshot(), {.kind = {}, .ns = "shop", .pod = "web-0"}),
      R"({"time_seconds":1E3,"monotonic_seconds":7E1,"workloads":[)"
      R"({"kind":"pod","namespace":"shop","pod":"web-0","container":"app","workload":"web","values":{)"
      R"("flowtap_workload_cpu_seconds_total":1.5E0,)"
      R"("flowtap_workload_dispatches_total":18446744073709551615}},)"
      R"({"kind":"pod","namespace":"shop","pod":"web-0","container":"sidecar","workload":"web","values":{)"
      R"("flowtap_workload_log_bytes_total":7}}]})");
  EXPECT_EQ(
      workloads_to_json(*snapshot(), {.kind = "unit"}),
      R"({"time_seconds":1E3,"monotonic_seconds":7E1,"workloads":[)"
      R"({"kind":"unit","workload":"ssh\\xff.service","values":{"flowtap_workload_cpu_seconds_total":2.5E-1}}]})");
}

// Written so that a new row needs no change here.
TEST(WorkloadsJson, AllFamiliesOfWorkloadsAreInIt) {
  std::size_t of_workloads = 0;
  for (const stats::Family& family : stats::families()) {
    stats::Snapshot one;
    one.series = {{&stats::first_stat(family.id),
                   std::vector<std::string>(stats::label_count(family.labels), "x"), 1.0}};
    const bool shown = workloads_to_json(one, {}).contains(family.name);
    EXPECT_TRUE(shown || !family.name.starts_with("flowtap_workload_")) << family.name;
    of_workloads += shown ? 1 : 0;
  }
  EXPECT_GE(of_workloads, 30U);
}

TEST(WorkloadsJson, ReadsBackWhatWasWritten) {
  const auto reading = workloads_from_json(workloads_to_json(*snapshot(), {}));
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->time.count(), 1000);
  EXPECT_EQ(reading->monotonic.count(), 70);
  ASSERT_EQ(reading->workloads.size(), 4U);
  const WorkloadReading& app = reading->workloads.at(1);
  EXPECT_EQ(app.key, (WorkloadKey{"pod", "shop", "web-0", "app", "web"}));
  EXPECT_EQ(app.values.size(), 2U) << "NaN is absent";
  EXPECT_EQ(app.values.at("flowtap_workload_cpu_seconds_total"), 1.5);
}

TEST(WorkloadsJson, SeriesOfOneFamilyAreSummed) {
  const auto reading = workloads_from_json(
      R"({"time_seconds":1,"monotonic_seconds":1,"workloads":[{"kind":"pod","pod":"a","values":{"x":1},"series":[
        {"name":"gpu","labels":{"device":"0"},"value":2},{"name":"gpu","labels":{"device":"1"},"value":3},
        {"name":"huge","value":1e308},{"name":"huge","value":1e308},{"name":"none","value":"4"},7]},
        {"kind":"pod","pod":"a","values":{"x":2,"y":null,"z":[1]}}, 5, {"values":7}]})");
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->workloads.size(), 2U) << "a key stands once";
  const std::map<std::string, double> wanted{{"gpu", 5}, {"huge", 1e308}, {"x", 3}};
  EXPECT_EQ(reading->workloads.at(1).values, wanted);
}

TEST(WorkloadsJson, WithoutItsTimeItIsNone) {
  for (const char* text :
       {"", "[]", "{}", R"({"time_seconds":1,"workloads":[]})",
        R"({"time_seconds":"1","monotonic_seconds":1})", R"({"time_seconds":1e12,"monotonic_seconds":1})",
        R"({"time_seconds":-1,"monotonic_seconds":1})"})
    EXPECT_FALSE(workloads_from_json(text)) << text;
}

TEST(WorkloadsRoute, IsFilteredAndSaysWhyThereIsNothing) {
  ScriptedNode node;
  EXPECT_EQ(route({"GET", "/api/v1/workloads"}, node).status, 503U);
  node.totals = snapshot();
  EXPECT_EQ(route({"GET", "/api/v1/workloads?kind=unit"}, node).body,
            workloads_to_json(*node.totals, {.kind = "unit"}));
  EXPECT_EQ(route({"GET", "/api/v1/workloads?node=x"}, node).status, 400U);
  auto unmeasured = std::make_shared<stats::Snapshot>(*node.totals);
  unmeasured->measured.reset();
  node.totals = unmeasured;
  const Answer answer = route({"GET", "/api/v1/workloads"}, node);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_NE(answer.body.find("the telemetry is off"), std::string::npos);
}

}  // namespace
}  // namespace flowtap::api
