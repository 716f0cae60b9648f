// What the daemon makes of whole logs: as real schedulers wrote them, at their own pace, and as no scheduler ever would.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/pod_log.hpp"
#include "tests/support/files/content.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

// They are about different pods, so all of them may be told at once.
const std::vector<std::string> kLogs = {"hami-2.10-filter-failed-v5", "hami-2024-v4",
                                        "kube-scheduler-v5.json", "numa-logid-era-v5", "numa-pod-era-v4"};

std::string log_file(const std::string& name) {
  return paths::golden() + "/scheduler/" + name + ".log";
}

using Answers = std::map<std::string, boost::json::value>;

// By "ns/pod". `list` is what the API and `why -o json` give.
Answers by_pod(const boost::json::value& list) {
  Answers answers;
  for (const auto& item : list.as_array())
    answers[std::string(item.at("namespace").as_string()) + '/' + std::string(item.at("name").as_string())] =
        item.at("diagnosis");
  return answers;
}

Answers answers_of(const Daemon& daemon) {
  const auto answer = get_unix(daemon.socket(), "/api/v1/schedulerlogs?diagnosis=true");
  EXPECT_EQ(answer.status, 200) << answer.body;
  return by_pod(boost::json::parse(answer.body).at("items"));
}

Answers answers_from_files(const ScratchRoot& root) {
  Command command{
      .argv = {paths::flowtap(), "why", "-o", "json"}, .out = root.file("why"), .err = root.file("why.err")};
  for (const std::string& name : kLogs) {
    command.argv.emplace_back("--from");
    command.argv.push_back(log_file(name));
  }
  EXPECT_EQ(Process(command).wait(), 0) << root.read("why.err");
  return by_pod(boost::json::parse(root.read("why")));
}

// A scheduler of the default list.
Containerd::Container scheduler(const std::string& name, std::vector<std::string> command) {
  std::string pod = "kube-scheduler-" + name;
  std::ranges::replace(pod, '.', '-');
  return {.id = container_id(name),
          .command = std::move(command),
          .annotations = cri_annotations("kube-system", pod, kPod, "kube-scheduler")};
}

TEST(ExplainLogs, AtTheirOwnPaceTheyAnswerAsFromTheirFiles) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  std::vector<std::unique_ptr<Process>> running;
  for (const std::string& name : kLogs) {
    root.write("busybox/" + name, content(log_file(name)));
    running.push_back(containerd.start(scheduler(name, {"log_writer", "paced", "/" + name})));
  }
  for (const auto& process : running) EXPECT_EQ(process->wait(4 * kPatience), 0) << process->last_words();
  const Answers wanted = answers_from_files(root);
  ASSERT_GT(wanted.size(), 10U);
  Answers seen;
  EXPECT_TRUE(eventually([&] { return (seen = answers_of(daemon)) == wanted; }));
  for (const auto& [pod, answer] : wanted)
    EXPECT_EQ(boost::json::serialize(seen[pod]), boost::json::serialize(answer)) << pod;
  EXPECT_EQ(seen.size(), wanted.size());
  // If a pod was bound, and its first attempt was seen to begin, the time between is in the histogram.
  std::size_t timed = 0;
  for (const auto& [name, value] : daemon.settled_stats().series)
    if (name.starts_with("flowtap_scheduling_duration_seconds_count"))
      timed += static_cast<std::size_t>(value);
  EXPECT_GT(timed, 0U);
  EXPECT_LE(timed, static_cast<std::size_t>(std::ranges::count_if(
                       wanted, [](const auto& pod) { return pod.second.at("status") == "succeeded"; })));
}

// 10 MB without a newline, a million keys, JSON of any depth, bytes that are no UTF-8, and bytes that steer terminals.
std::string nonsense() {
  const std::string header = "I1121 01:39:30.118301   22825 scheduler.go:365] ";
  std::string text(std::size_t{10} << 20U, 'x');
  text += '\n' + header + "\"Attempting to schedule pod\" pod=\"default/keys\"";
  for (int i = 0; i < 1'000'000; ++i) text += " k" + std::to_string(i) + "=1";
  text +=
      '\n' + header + R"("device allocate success" pod="default/deep" requests=)" + std::string(100'000, '[');
  text += "\n{\"ts\":1.0,\"msg\":\"Unable to schedule pod\",\"pod\":" + std::string(100'000, '{') + '\n';
  text += header +
          "\"Unable to schedule pod; no fit; waiting\" pod=\"default/\x1b[2J\xff\xfe\" err=\"0/1 nodes are "
          "available: 1 \x1b]0;x\x07\xc3.\"\n";
  return text;
}

// It does not grow either: a record is cut at a megabyte, and what is kept of a pod has a bound of its own.
TEST(ExplainLogs, WhatNoSchedulerWritesHidesNothingOfWhatComesThen) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  root.write("busybox/nonsense", nonsense());
  const std::string sane = content(log_file("numa-pod-era-v4"));
  root.write("busybox/sane", sane);
  EXPECT_EQ(containerd.run(scheduler("odd", shell(until_read("cat /nonsense >&2; cat /sane >&2")))), 0);
  EXPECT_TRUE(eventually([&] {
    const Answers seen = answers_of(daemon);
    const auto pod = seen.find("default/two-v4text");
    return pod != seen.end() && pod->second.at("status") == "succeeded";
  }));
  EXPECT_EQ(get_unix(daemon.socket(), "/healthz").status, 200);
  const auto stats = daemon.settled_stats();
  EXPECT_GE(stats.series.at(R"(flowtap_scheduler_records_total{result="cut",scheduler="kube-scheduler"})"),
            1);
  EXPECT_LT(stats.series.at("flowtap_diagnosis_bytes"), 16 << 20);
  const auto flow = ended_flow(daemon, "pod/kube-system/kube-scheduler-odd/");
  ASSERT_TRUE(flow);
  EXPECT_EQ(flow->missing, 0U);
}

}  // namespace
}  // namespace flowtap::test
