// The bodies: the reader gets exactly what the writer wrote, and reads other people's JSON with care.
#include <gtest/gtest.h>

#include <cmath>

#include "api/json/stats_json.hpp"
#include "api/json/status_json.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {
namespace {

TEST(StatusJson, ReadsBackAsItself) {
  const StatusReport report = full_report();
  const auto again = status_from_json(status_to_json(report));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, report);
}

TEST(StatusJson, HasTheFieldsOfTheContract) {
  const std::string body = status_to_json(full_report());
  for (
      const char* part :
      {R"("version":"1.2.3")", R"("kernel":"6.1.0-test")",
       R"({"name":"sched_ext","up":false,"detail":"the kernel has none","hint":"use Linux 6.12"})",
       R"("cpus":{"possible":4,"online":2})",
       R"({"name":"ftap_wakeup","attached":false,"run_count":null,"run_time_seconds":null,"recursion_misses":null})",
       R"({"name":"statsd","up":false,"pending":10,"lost":2,"last_error":"connection refused"})",
       R"("read_errors":[{"what":"program_stats","count":4}])"})
    EXPECT_NE(body.find(part), std::string::npos) << part << "\n" << body;
}

TEST(StatusJson, CpusThatAreNotKnownAreAbsent) {
  StatusReport report = full_report();
  report.count.cpus_possible = report.count.cpus_online = 0;
  EXPECT_FALSE(status_to_json(report).contains("\"cpus\""));
}

TEST(StatusJson, WhatIsMissingKeepsItsDefault) {
  const auto report =
      status_from_json(R"({"version":"9","components":[{"name":"x"},7],"count":{"cpus":[]},"new":{}})");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->version, "9");
  ASSERT_EQ(report->components.size(), 1U);
  EXPECT_FALSE(report->components[0].up);
  EXPECT_FALSE(status_from_json("[]"));
  EXPECT_FALSE(status_from_json("<html>"));
  EXPECT_FALSE(status_from_json(std::string(100'000, '[')));
}

TEST(StatusJson, ANumberThatIsNoneIsAbsent) {
  StatusReport report;
  report.uptime_seconds = std::nan("");
  EXPECT_NE(status_to_json(report).find(R"("uptime_seconds":null)"), std::string::npos);
}

TEST(StatsJson, DescribesEveryFamilyOfTheTable) {
  const std::string body = stats_to_json(*full_snapshot());
  for (const auto& family : stats::families())
    EXPECT_NE(body.find("{\"name\":\"" + std::string(family.name) + "\",\"kind\":"), std::string::npos)
        << family.name;
}

TEST(StatsJson, HasExactTotalsAndCumulativeBuckets) {
  const std::string body = stats_to_json(*full_snapshot());
  for (const char* part :
       {R"({"labels":{"scheduler":"kernel","type":"wsync"},"total":18446744073709551615})",
        R"({"labels":{"scheduler":"a\"b\n","type":"wsync"},"total":1})", R"("labels":["scheduler","type"])",
        R"({"labels":{"scheduler":"kernel"},"total":9,"sum":2.05E1,"buckets":[{"le":1.024E-6,"total":5})",
        R"({"labels":{},"value":4.096E3})", R"("kind":"histogram","unit":"seconds")", R"("cycle":9)",
        R"("time_seconds":1.0095E3)"})
    EXPECT_NE(body.find(part), std::string::npos) << part << "\n" << body;
}

TEST(StatsJson, TheReadingHasTheSameTotals) {
  const auto snapshot = full_snapshot();
  const auto reading = stats_from_json(stats_to_json(*snapshot));
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->cycle, 9U);
  EXPECT_DOUBLE_EQ(reading->time.count(), 1009.5);
  const auto expected = stats::scheduler_totals(*snapshot);
  ASSERT_EQ(reading->schedulers.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(reading->schedulers[i].scheduler, expected[i].scheduler);
    EXPECT_EQ(reading->schedulers[i].latency, expected[i].latency);
    ASSERT_EQ(reading->schedulers[i].types.size(), expected[i].types.size());
    for (std::size_t j = 0; j < expected[i].types.size(); ++j)
      EXPECT_EQ(reading->schedulers[i].types[j].total, expected[i].types[j].total);
  }
}

TEST(StatsJson, BucketsThatMakeNoSenseAreNoHistogram) {
  const auto latency = [](const std::string& series) {
    const auto reading = stats_from_json(
        R"({"families":[{"name":"flowtap_run_queue_latency_seconds","series":[{"labels":{"scheduler":"k"},)" +
        series + "}]}]}");
    return reading->schedulers.at(0).latency;
  };
  EXPECT_TRUE(latency(R"("total":2,"buckets":[{"le":0.000001024,"total":1}])"));
  EXPECT_FALSE(latency(R"("total":2,"buckets":[{"le":0.5,"total":1}])"));
  EXPECT_FALSE(latency(R"("total":0,"buckets":[{"le":0.000001024,"total":1}])"));
  EXPECT_FALSE(latency(R"("total":9,"buckets":[{"le":0.000001024,"total":5},{"le":0.000002048,"total":4}])"));
  EXPECT_FALSE(latency(R"("total":-1)"));
}

}  // namespace
}  // namespace flowtap::api
