// What `flowtap top --pods` shows for two answers of a daemon.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/flowtap/top/pod_columns.hpp"
#include "tools/flowtap/top/pods_screen.hpp"

namespace flowtap::cli {
namespace {

constexpr Style kUtf8{.color = false, .utf8 = true};

// Two answers of a real daemon, ten seconds apart, cut down to the parts that the table needs.
constexpr const char* kBefore = R"({"time_seconds":1000,"monotonic_seconds":50,"workloads":[
 {"kind":"container","container":"batch","values":{"flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":4,
  "flowtap_workload_run_queue_seconds_total":1,"flowtap_workload_log_bytes_total":1000}},
 {"kind":"host","values":{"flowtap_workload_cpu_seconds_total":900}},
 {"kind":"pod","namespace":"shop","pod":"web-5d69c7f9c9-x7x2b","container":"app","workload":"web","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":10,"flowtap_workload_run_queue_seconds_total":0,
  "flowtap_workload_memory_usage_bytes":999,"flowtap_workload_memory_working_set_bytes":33554432,
  "flowtap_workload_io_read_bytes_total":0,
  "flowtap_workload_log_bytes_total":0,"flowtap_workload_log_lines_total":0}},
 {"kind":"pod","namespace":"shop","pod":"web-5d69c7f9c9-x7x2b","container":"sidecar","workload":"web","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":1}},
 {"kind":"pod","namespace":"db","pod":"pg-0","container":"pg","workload":"pg","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":50}}]})";
constexpr const char* kNow = R"({"time_seconds":1010,"monotonic_seconds":60,"workloads":[
 {"kind":"container","container":"batch","values":{"flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":24,
  "flowtap_workload_run_queue_seconds_total":1.05,"flowtap_workload_log_bytes_total":21480}},
 {"kind":"host","values":{"flowtap_workload_cpu_seconds_total":990}},
 {"kind":"pod","namespace":"shop","pod":"web-5d69c7f9c9-x7x2b","container":"app","workload":"web","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":14,"flowtap_workload_run_queue_seconds_total":3,
  "flowtap_workload_memory_usage_bytes":999,"flowtap_workload_memory_working_set_bytes":67108864,
  "flowtap_workload_io_read_bytes_total":5120,"flowtap_workload_io_written_bytes_total":5120,
  "flowtap_workload_log_bytes_total":700,"flowtap_workload_log_lines_total":7,
  "flowtap_workload_log_missing_bytes_total":0}},
 {"kind":"pod","namespace":"shop","pod":"web-5d69c7f9c9-x7x2b","container":"sidecar","workload":"web","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":2,"flowtap_workload_memory_usage_bytes":1048576}},
 {"kind":"pod","namespace":"db","pod":"pg-0","container":"pg","workload":"pg","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":49}},
 {"kind":"pod","namespace":"db","pod":"new\u001b[2J","container":"x","values":{
  "flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":7}}]})";

api::WorkloadsReading reading(const char* json) {
  return api::workloads_from_json(json).value();
}

PodInterval interval(const PodChoice& choice = {}, std::string_view sort = "cpu") {
  const auto before = reading(kBefore);
  PodInterval all = pod_interval(&before, reading(kNow), choice);
  sort_rows(all.rows, pod_column(sort).value());
  return all;
}

std::vector<std::string> names(const PodInterval& all) {
  std::vector<std::string> names;
  for (const PodRow& row : all.rows)
    names.push_back(row.key.pod.empty() ? row.key.container : row.key.pod.substr(0, 5));
  return names;
}

using Names = std::vector<std::string>;

TEST(Pods, AreSumsOfTheirContainersByTheSecond) {
  EXPECT_EQ(pods_block(interval(), 0, kUtf8),
            "flowtap  1970-01-01T00:16:50.000Z  last 10.0 s\n"
            "\n"
            "  pod                           CPU    wait    memory    I/O /s   logs /s\n"
            "  batch                       200 %   0.5 %         -         -  2.00 KiB\n"
            "  shop/web-5d69c7f9c9-x7x2b    50 %    30 %  65.0 MiB  1.00 KiB      70 B\n"
            "  db/new\\x1b[2J                   -       -         -         -         -\n"
            "  db/pg-0                         -       -         -         -         -\n")
      << "new: it has no rate yet; pg-0: its counter went back; nobody has energy";
}

// The node keeps the counters of each for some minutes. Perhaps everything that there was has ended.
TEST(Pods, ThatHaveEndedAreShownOnlyWhenAskedFor) {
  const auto at = [](double seconds, double cpu) {
    const std::string time = std::to_string(seconds);
    const auto one = [](const std::string& who, const std::string& values) {
      return ",{" + who + R"(,"values":{)" + values + "}}";
    };
    const std::string ended =
        R"("flowtap_workload_cpu_seconds_total":5,"flowtap_workload_log_bytes_total":9)";
    const std::string json =
        R"({"time_seconds":)" + time + R"(,"monotonic_seconds":)" + time +
        R"(,"workloads":[{"kind":"host","values":{"flowtap_workload_cpu_seconds_total":1}})" +
        one(R"("kind":"pod","namespace":"shop","pod":"job-1","container":"a")", ended) +
        one(R"("kind":"pod","namespace":"shop","pod":"job-2","container":"a")",
            R"("flowtap_workload_log_bytes_total":9)") +
        one(R"("kind":"container","container":"once")", ended) +
        one(R"("kind":"pod","namespace":"shop","pod":"web-0","container":"init")", ended) +
        one(R"("kind":"pod","namespace":"shop","pod":"web-0","container":"web")",
            R"("flowtap_workload_info":1,"flowtap_workload_cpu_seconds_total":7)") +
        one(R"("kind":"container","container":"nameless")",
            R"("flowtap_workload_cpu_seconds_total":)" + std::to_string(cpu)) +
        "]}";
    return reading(json.c_str());
  };
  const auto before = at(1000, 1);
  const auto shown = [&](const PodChoice& choice) {
    PodInterval all = pod_interval(&before, at(1010, 2), choice);
    sort_rows(all.rows, 0);
    return names(all);
  };
  EXPECT_EQ(shown({}), (Names{"nameless", "web-0"})) << "what uses a CPU has not ended";
  EXPECT_EQ(shown({.containers = true}), (Names{"nameless", "web-0"}));
  EXPECT_EQ(shown({.ended = true}), (Names{"nameless", "web-0", "once", "job-1", "job-2"}));
  EXPECT_EQ(shown({.containers = true, .ended = true}),
            (Names{"nameless", "web-0", "once", "job-1", "web-0", "job-2"}));
  PodInterval all = pod_interval(&before, at(1010, 2), {.ns = "shop", .ended = true});
  sort_rows(all.rows, 0);
  EXPECT_EQ(pods_block(all, 0, kUtf8),
            "flowtap  1970-01-01T00:16:50.000Z  last 10.0 s\n"
            "\n"
            "  pod            CPU   logs /s\n"
            "  shop/web-0   0.0 %       0 B\n"
            "  ended\n"
            "  shop/job-1   0.0 %       0 B\n"
            "  shop/job-2       -       0 B\n");
  EXPECT_TRUE(pods_json(all).contains(R"("pod":"job-2","ended":true)")) << pods_json(all);
  const PodInterval none = pod_interval(&before, at(1010, 2), {.ns = "other"});
  EXPECT_TRUE(pods_block(none, 0, kUtf8).ends_with("  no pods\n"));
  const auto only_ended = reading(
      R"({"time_seconds":1,"monotonic_seconds":1,"workloads":[{"kind":"container","container":"once",)"
      R"("values":{"flowtap_workload_cpu_seconds_total":5}}]})");
  EXPECT_TRUE(pods_block(pod_interval(nullptr, only_ended, {}), 0, kUtf8)
                  .ends_with("  no pods now; --ended shows 1 that has ended\n"));
}

// A pod's use of two GPUs, in JSON.
std::string of_gpus(double used, double memory, double joules) {
  std::string series;
  for (const char* gpu : {"0000:03:00.0", "0000:04:00.0"})
    for (const auto& [name, value] :
         {std::pair{"utilization_ratio", used}, {"memory_used_bytes", memory}, {"joules_total", joules}})
      series += std::string(series.empty() ? "" : ",") + R"({"name":"flowtap_workload_device_)" + name +
                R"(","labels":{"vendor":"nvidia","device":")" + gpu + R"("},"value":)" +
                std::to_string(value) + "}";
  return series;
}

TEST(Pods, HaveWhatTheyUseOfAllGpusAndItsPower) {
  const auto at = [](double seconds, const std::string& gpus, double joules) {
    const std::string json =
        R"({"time_seconds":)" + std::to_string(seconds) + R"(,"monotonic_seconds":)" +
        std::to_string(seconds) +
        R"(,"workloads":[{"kind":"pod","namespace":"ml","pod":"train-0","container":"a",)"
        R"("values":{"flowtap_workload_joules_total":)" +
        std::to_string(joules) + R"(},"series":[)" + gpus +
        R"(]},{"kind":"pod","namespace":"ml","pod":"idle-0","container":"a","values":{}}]})";
    return reading(json.c_str());
  };
  const auto before = at(1000, of_gpus(0, 0, 500), 50);
  PodInterval all = pod_interval(&before, at(1010, of_gpus(0.45, 1 << 30, 3500), 150), {});
  sort_rows(all.rows, pod_column("gpu").value());
  EXPECT_EQ(pods_block(all, pod_column("gpu").value(), kUtf8),
            "flowtap  1970-01-01T00:16:50.000Z  last 10.0 s\n"
            "\n"
            "  pod          power     GPU   GPU mem\n"
            "  ml/train-0   610 W    90 %  2.00 GiB\n"
            "  ml/idle-0        -       -         -\n")
      << "10 W of the node's energy, 300 of each GPU's";
}

TEST(Pods, AreSortedByAnyColumnWithTheUnknownLastAndByName) {
  EXPECT_EQ(names(interval({}, "wait")), (Names{"web-5", "batch", "new\x1b[", "pg-0"}));
  EXPECT_EQ(names(interval({}, "memory")), (Names{"web-5", "batch", "new\x1b[", "pg-0"}));
  EXPECT_EQ(names(interval({}, "logs")), (Names{"batch", "web-5", "new\x1b[", "pg-0"}));
  EXPECT_FALSE(pod_column("")) << "columns that are in JSON alone";
  EXPECT_FALSE(pod_column("pods"));
}

TEST(Pods, MayBeOfOneNamespaceAndByContainer) {
  EXPECT_EQ(names(interval({.containers = false, .ns = "db"})), (Names{"new\x1b[", "pg-0"}));
  const auto containers = interval({.containers = true, .ns = "shop"});
  ASSERT_EQ(containers.rows.size(), 2U);
  EXPECT_EQ(containers.rows.at(0).key.container, "app");
  EXPECT_EQ(containers.rows.at(1).values.at(0), 0.1);
  EXPECT_NE(pods_block(containers, 0, kUtf8).find("shop/web-5d69c7f9c9-x7x2b/sidecar"), std::string::npos);
}

TEST(Pods, AtTheFirstLookHaveNoRates) {
  const PodInterval first = pod_interval(nullptr, reading(kNow), {});
  EXPECT_EQ(first.seconds, 0);
  EXPECT_NE(pods_block(first, 0, kUtf8).find("shop/web-5d69c7f9c9-x7x2b       -       -  65.0 MiB         -"),
            std::string::npos)
      << pods_block(first, 0, kUtf8);
}

TEST(Pods, OfADaemonThatBeganAnewHaveNoRateThatIsNoNumber) {
  const auto now = reading(kNow);
  for (const PodRow& row : pod_interval(&now, now, {}).rows) EXPECT_FALSE(row.values.at(0));
}

TEST(PodsScreen, KeepsToItsSizeAndShowsWhatItIsSortedBy) {
  for (std::size_t rows = 1; rows < 12; ++rows)
    for (std::size_t width = 1; width < 120; ++width) {
      const auto lines = pods_screen(interval({}, "wait"), 1, "a message", {rows, width}, kUtf8);
      EXPECT_LE(lines.size(), rows);
      for (const auto& line : lines) EXPECT_LE(columns(line), width) << line;
      if (rows > 5 && width >= 40) {
        EXPECT_TRUE(lines.at(3).contains("wait")) << width;
      }
    }
}

TEST(PodsScreen, FitsIntoEightyColumnsAndCutsLongNamesInTheirMiddle) {
  PodInterval all = interval();
  EXPECT_TRUE(pods_screen(all, 0, "", {24, 80}, kUtf8).at(2).ends_with("logs /s"));
  const auto narrow = pods_screen(all, 0, "", {24, 50}, kUtf8);
  EXPECT_FALSE(narrow.at(2).contains("I/O")) << narrow.at(2);
  EXPECT_TRUE(narrow.at(2).contains("memory")) << narrow.at(2);
  all.rows.at(1).key.pod = "a-very-long-name-of-a-deployment-that-goes-on-5d69c7f9c9-x7x2b";
  const auto cut = pods_screen(all, 0, "", {24, 80}, kUtf8).at(4);
  EXPECT_TRUE(cut.starts_with("  shop/a-very-long")) << cut;
  EXPECT_TRUE(cut.contains("…c9-x7x2b ")) << cut;
}

TEST(PodsScreen, APodsNameCannotSteerTheTerminal) {
  for (const auto& line : pods_screen(interval(), 0, "bad \x1b[31m", {24, 80}, kUtf8))
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
  EXPECT_EQ(pods_screen({}, 0, "", {24, 80}, kUtf8).back(), "  no pods");
}

TEST(PodsJson, HasWhatIsKnownAndNothingElse) {
  const std::string json = pods_json(interval({.containers = true, .ns = "shop"}));
  EXPECT_EQ(
      json,
      R"({"time_seconds":1.01E3,"interval_seconds":1E1,"pods":[)"
      R"({"kind":"pod","namespace":"shop","pod":"web-5d69c7f9c9-x7x2b","container":"app","workload":"web",)"
      R"("cpu_cores":4E-1,"waiting_cores":3E-1,"memory_bytes":6.7108864E7,"io_bytes_per_second":1.024E3,)"
      R"("log_bytes_per_second":7E1,"log_bytes":7E2,"log_lines":7E0,"log_missing_bytes":0E0},)"
      R"({"kind":"pod","namespace":"shop","pod":"web-5d69c7f9c9-x7x2b","container":"sidecar",)"
      R"("workload":"web","cpu_cores":1E-1,"memory_bytes":1.048576E6}]})");
}

}  // namespace
}  // namespace flowtap::cli
