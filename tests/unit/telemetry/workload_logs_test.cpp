#include "telemetry/workload_logs.hpp"

#include <gtest/gtest.h>

#include "identity/flow_id.hpp"
#include "telemetry/cgroup_names.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

constexpr const char* kFirst = "pod/shop/web-5d69c7f9c9-x7x2b/3f1c2a50/app/0";
constexpr const char* kSecond = "pod/shop/web-5d69c7f9c9-x7x2b/3f1c2a50/app/1";

std::vector<std::string> labels(const std::string& flow) {
  const auto name = workload_of(flow);
  return name ? name->labels() : std::vector<std::string>{};
}
using Labels = std::vector<std::string>;

TEST(WorkloadLogs, FlowsAreCalledAsTheirUsageIs) {
  identity::ContainerIdentity who;
  who.container_id = std::string(64, 'a');
  const auto both = [&who] {
    identity::Answer answer;
    answer.certainty = identity::Certainty::kComplete;
    answer.container = who;
    EXPECT_EQ(labels(identity::flow_id(who)), naming_of(answer, "/x").name.labels())
        << identity::flow_id(who);
  };
  both();
  who.container_name = "a-name with/odd-bytes\xff";
  both();
  who.ns = "shop", who.pod = "web-5d69c7f9c9-x7x2b", who.pod_uid = "3f1c2a50";
  both();
  who.restart = 3;
  both();
  who.sandbox = true;
  both();
}

TEST(WorkloadLogs, OfOthersThereIsNoWorkload) {
  EXPECT_EQ(labels("unit/sshd.service"), (Labels{"unit", "", "", "", "sshd.service"}));
  EXPECT_EQ(labels(std::string(kFirst) + "/inner"), labels(kFirst)) << "a container within it";
  for (const char* flow :
       {"", "proc/1-2", "file/var/log/x", "sched/shop/web-0", "pod/shop/web-0", "unit", "container/%zz"})
    EXPECT_EQ(labels(flow), Labels{}) << flow;
}

std::map<std::string, std::uint64_t> sampled(WorkloadLogs& logs, WorkloadLogs::Clock::time_point now) {
  std::vector<stats::Series> series;
  logs.append_samples(series, now, 5min);
  std::map<std::string, std::uint64_t> all;
  for (const stats::Series& s : series)
    if (s.stat->id == stats::StatId::kWORKLOAD_LOG_LINES)
      all[s.labels[2] + s.labels[3]] += std::get<std::uint64_t>(s.value);
  return all;
}
using Lines = std::map<std::string, std::uint64_t>;

TEST(WorkloadLogs, GoOnOverARestartAndAreForgottenAWhileAfterTheEnd) {
  WorkloadLogs logs;
  const auto begin = WorkloadLogs::Clock::now();
  auto first = logs.written_by(kFirst);
  flow::Written::add(first->lines, 5);
  first.reset();
  auto second = logs.written_by(kSecond);
  flow::Written::add(second->lines, 2);
  EXPECT_EQ(sampled(logs, begin + 1h), (Lines{{"web-5d69c7f9c9-x7x2bapp", 7}})) << "it is open";
  second.reset();
  EXPECT_EQ(sampled(logs, begin + 1h + 4min).size(), 1U);
  EXPECT_EQ(sampled(logs, begin + 1h + 6min), Lines{});
  EXPECT_EQ(logs.written_by("proc/1-2"), nullptr);
}

TEST(WorkloadLogs, AreBounded) {
  WorkloadLogs logs;
  for (std::size_t i = 0; i < WorkloadLogs::kMost + 3; ++i) {
    const auto written = logs.written_by("container/c" + std::to_string(i) + "-0123456789ab");
    flow::Written::add(written->lines, 1);
  }
  const Lines all = sampled(logs, WorkloadLogs::Clock::now());
  EXPECT_EQ(all.size(), WorkloadLogs::kMost + 1);
  EXPECT_EQ(all.at(""), 3U) << "of nobody that is known";
  flow::Written::add(logs.written_by("container/c0-0123456789ab")->lines, 1);
  EXPECT_EQ(sampled(logs, WorkloadLogs::Clock::now()).at("c0"), 2U);
}

}  // namespace
}  // namespace flowtap
