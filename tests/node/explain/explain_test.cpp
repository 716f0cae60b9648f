// The explain path in a whole daemon: schedulers' logs as real ones wrote them, and the answers over the API.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <functional>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/pod_log.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string lines_with(const std::string& text, const std::function<bool(const std::string&)>& wanted) {
  std::string out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (wanted(line)) out.append(line).append(1, '\n');
  return out;
}

/// One pod's part of the logs of two schedulers, and the answer that the two together make.
struct Part {
  std::string filter;  // written by HAMi's extender
  std::string bind;    // by the extender, too: beside the next pod's filter
  std::string kube;
  std::string answer;
};

class Template {
 public:
  Template(const std::string& pod, const std::string& hami, const std::string& kube,
           const std::string& answer)
      : pod_(pod), answer_(golden("diagnosis/" + answer)) {
    // Most of the log is about scores and cards, and is no fact.
    const std::string text = lines_with(golden("scheduler/" + hami), [](const std::string& line) {
      return !line.contains("gpu_policy.go") && !line.contains("node_policy.go") &&
             !line.contains("\"scoring pod\"");
    });
    const std::size_t at = text.find("\"Attempting to bind pod to node\"");
    const std::size_t end = at == std::string::npos ? text.size() : text.rfind('\n', at) + 1;
    filter_ = text.substr(0, end);
    bind_ = text.substr(end);
    kube_ = lines_with(golden("diagnosis/" + kube), [&pod](const std::string& line) {
      return line.contains("pod=\"default/" + pod + "\"");
    });
  }
  [[nodiscard]] Part of(const std::string& pod) const {
    return {replaced(filter_, pod_, pod), replaced(bind_, pod_, pod), replaced(kube_, pod_, pod),
            replaced(answer_, pod_, pod)};
  }

 private:
  std::string pod_;
  std::string filter_;
  std::string bind_;
  std::string kube_;
  std::string answer_;
};

std::string name_of(std::size_t pod) {
  return "job-" + std::to_string(pod);
}

HttpAnswer ask(const Daemon& daemon, const std::string& pod, const std::string& query = {}) {
  return get_unix(daemon.socket(), "/api/v1/namespaces/default/pods/" + pod + "/schedulerlog" + query);
}

boost::json::value listed(const Daemon& daemon, const std::string& query = {}) {
  const auto answer = get_unix(daemon.socket(), "/api/v1/schedulerlogs" + query);
  EXPECT_EQ(answer.status, 200) << answer.body;
  return boost::json::parse(answer.body).at("items");
}

// Two schedulers' logs with this many pods. Every other pod found a node.
struct TwoLogs {
  std::string hami;
  std::string kube;
  std::vector<boost::json::value> answers;

  explicit TwoLogs(std::size_t pods) {
    const Template found("gpu-pod", "hami-2.10-success-v4.log", "hami-2.10-kube-scheduler-v4.log",
                         "hami-2.10-two-success.json");
    const Template none("gpu-pod-default", "hami-2.10-filter-failed-v5.log",
                        "hami-2.10-kube-scheduler-v2.log", "hami-2.10-two-failed-v2.json");
    std::string bind;
    for (std::size_t i = 0; i < pods; ++i) {
      const Part part = (i % 2 == 0 ? found : none).of(name_of(i));
      hami += part.filter + std::exchange(bind, part.bind);
      kube += part.kube;
      answers.push_back(boost::json::parse(part.answer));
    }
    hami += bind;
  }
  /// Expects the answers of every `step`-th pod.
  void expect(const Daemon& daemon, std::size_t first = 0, std::size_t step = 1) const {
    for (std::size_t i = first; i < answers.size(); i += step) {
      HttpAnswer answer;
      const auto is_right = [&] {
        answer = ask(daemon, name_of(i));
        return answer.status == 200 && boost::json::parse(answer.body) == answers[i];
      };
      EXPECT_TRUE(is_right() || eventually(is_right)) << name_of(i) << ": " << answer.body;
    }
  }
};

std::string schedulers_room() {
  return "flows_bytes: 268435456, journal_bytes: 67108864, flow_bytes: 67108864";
}

const std::string kHami = "hami-scheduler-6d4c9-x2x7k";

// Both logs come at full speed, each from a container as its chart makes it, while fifty clients read. What the service finds in
// its flows after a restart gives the same answers. If there are too many pods, the latest are kept.
TEST(Explain, TwoThousandPodsWhileFiftyClientsRead) {
  constexpr std::size_t kPods = 2000;
  const TwoLogs logs(kPods);
  const ScratchRoot root;
  Containerd containerd(root);
  {
    Daemon daemon(root, {.config = "explain: {max_pods: 2500}\n", .stream = true, .room = schedulers_room()});
    daemon.wait_ready();
    root.write("busybox/hami", logs.hami);
    root.write("busybox/kube", logs.kube);
    const auto start = [&](const std::string& pod, const std::string& container, const std::string& file) {
      return containerd.start({.id = container_id(container),
                               .command = shell("exec cat " + file + " >&2"),
                               .annotations = cri_annotations("kube-system", pod, kPod, container)});
    };
    const auto hami = start(kHami, "vgpu-scheduler-extender", "/hami");
    const auto kube = start("kube-scheduler-node1", "kube-scheduler", "/kube");
    constexpr unsigned kClients = 50;
    std::atomic<bool> written = false;
    std::atomic<std::size_t> answered = 0;
    std::atomic<std::size_t> odd = 0;
    std::vector<std::jthread> clients;
    for (unsigned client = 0; client < kClients; ++client)
      clients.emplace_back([&, client] {
        std::size_t asked = 0;
        for (std::size_t i = client; !written || asked < kPods / kClients; i += 37, ++asked) {
          const auto answer = ask(daemon, name_of(i % kPods), i % 3 == 0 ? "?evidence=true" : "");
          ++(answer.status == 200 || answer.status == 404 ? answered : odd);
        }
        logs.expect(daemon, client, kClients);  // while the others do so
      });
    EXPECT_EQ(hami->wait(4 * kPatience), 0);
    EXPECT_EQ(kube->wait(4 * kPatience), 0);
    written = true;
    clients.clear();
    EXPECT_EQ(odd, 0U);
    EXPECT_GE(answered, kPods);
    EXPECT_EQ(listed(daemon).as_array().size(), kPods);
    EXPECT_EQ(listed(daemon, "?namespace=other").as_array().size(), 0U);
    const auto stats = daemon.settled_stats();
    EXPECT_EQ(stats.series.at("flowtap_diagnosis_pods"), kPods);
    EXPECT_GT(stats.series.at(
                  R"(flowtap_scheduler_records_total{result="telling",scheduler="vgpu-scheduler-extender"})"),
              kPods);
    // Half of the pods were bound. Each scheduler says once of each of the others that it found no node for it.
    const auto counted = [&](const std::string& family, const std::string& labels) {
      const auto at = stats.series.find("flowtap_" + family + "{" + labels + "}");
      return at == stats.series.end() ? -1 : at->second;
    };
    for (const char* scheduler : {"vgpu-scheduler-extender", "kube-scheduler"}) {
      const std::string of = std::string(",scheduler=\"") + scheduler + "\"";
      EXPECT_EQ(counted("scheduling_outcomes_total", "outcome=\"bound\"" + of), kPods / 2) << scheduler;
      EXPECT_GE(counted("scheduling_outcomes_total", "outcome=\"no_fit\"" + of), kPods / 2) << scheduler;
      EXPECT_GE(counted("scheduling_failures_total", "reason=\"CardInsufficientMemory\"" + of), kPods / 2)
          << scheduler;
      EXPECT_EQ(counted("scheduling_failures_total", "reason=\"other\"" + of), -1) << scheduler;
    }
    EXPECT_EQ(daemon.component("explain")->up, true);
    daemon.signal(SIGKILL);
    EXPECT_TRUE(daemon.wait());
  }
  {
    Daemon daemon(root, {.config = "explain: {max_pods: 2500}\n", .stream = true, .room = schedulers_room()});
    daemon.wait_ready();
    logs.expect(daemon);
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait(), 0);
  }
  Daemon daemon(root, {.config = "explain: {max_pods: 100}\n", .stream = true, .room = schedulers_room()});
  daemon.wait_ready();
  EXPECT_TRUE(eventually(
      [&] { return daemon.stats().series.at("flowtap_diagnosis_evicted_pods_total") >= kPods - 100; }));
  // Pods that make room while the list is sent are not in it.
  EXPECT_TRUE(eventually([&] { return listed(daemon).as_array().size() == 100U; }));
}

// A record is whole when its line is, though the next one has not begun. Nobody has to ask twice.
TEST(Explain, APodsStateAsTheSchedulerGoesOn) {
  const TwoLogs logs(1);
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_EQ(ask(daemon, name_of(0)).status, 404);
  const std::string& text = logs.hami;
  const std::size_t bind = text.find("\"Attempting to bind pod to node\"");
  ASSERT_NE(bind, std::string::npos);
  const std::size_t at = text.rfind('\n', bind) + 1;
  root.write("busybox/first", text.substr(0, at));
  // Nothing follows the record that decides.
  const std::size_t bound = text.find("\"Successfully bound pod to node\"");
  ASSERT_NE(bound, std::string::npos);
  root.write("busybox/second", text.substr(at, text.find('\n', bound) + 1 - at));
  const auto scheduler = containerd.start(
      {.id = container_id("hami"),
       .command =
           shell("cat /first >&2; until [ -e /go ] || [ ! -e /bin ]; do sleep 0.05; done; cat /second >&2;"
                 "until [ -e /end ] || [ ! -e /bin ]; do sleep 0.05; done"),
       .annotations = cri_annotations("kube-system", kHami, kPod, "vgpu-scheduler-extender")});
  const auto has_status = [&](const char* status) {
    return eventually([&] {
      const auto answer = ask(daemon, name_of(0));
      return answer.status == 200 && boost::json::parse(answer.body).at("status") == status;
    });
  };
  EXPECT_TRUE(has_status("pending"));
  daemon.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return daemon.err().contains("configuration reloaded"); }));
  EXPECT_EQ(daemon.component("explain")->up, true) << "and it goes on";
  EXPECT_TRUE(eventually([&] { return daemon.component("explain")->detail == "reads one scheduler's log"; }))
      << daemon.component("explain")->detail;
  const auto filter = boost::json::parse(ask(daemon, name_of(0)).body).at("filter");
  EXPECT_EQ(filter.at("status"), "passed");
  let_go(root, "go");
  EXPECT_TRUE(has_status("succeeded")) << ask(daemon, name_of(0)).body;
  let_go(root, "end");
  EXPECT_EQ(scheduler->wait(), 0);
}

// What a scheduler said before flowtapd was there is in its runtime's file.
TEST(Explain, WhatASchedulerSaidBeforeTheServiceBegan) {
  const TwoLogs logs(20);
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string id = container_id("before");
  const std::string file = pod_log_directory("kube-system", kHami, kPod) + "/vgpu-scheduler-extender/0.log";
  const CriLog log(root.file(file), root.file(id + ".out"), root.file(id + ".err"));
  root.write("busybox/hami", logs.hami);
  const auto scheduler = containerd.start(
      {.id = id,
       .command = shell("cat /hami >&2; until [ -e /end ] || [ ! -e /bin ]; do sleep 0.05; done"),
       .annotations = cri_annotations("kube-system", kHami, kPod, "vgpu-scheduler-extender")});
  ASSERT_TRUE(eventually([&] { return logged_bytes(root.read(file), "stderr") == logs.hami; }));
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  EXPECT_TRUE(eventually([&] { return listed(daemon).as_array().size() == 20; }));
  EXPECT_TRUE(eventually(
      [&] { return boost::json::parse(ask(daemon, name_of(18)).body).at("status") == "succeeded"; }));
  let_go(root, "end");
  EXPECT_EQ(scheduler->wait(), 0);
}

// A container that is no scheduler explains nothing, whatever it prints and whatever it is called.
TEST(Explain, OnlySchedulersAreBelieved) {
  const TwoLogs logs(2);
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  root.write("busybox/hami", logs.hami);
  const auto speak = [&](const std::string& ns, const std::string& pod, const std::string& container) {
    EXPECT_EQ(containerd.run({.id = container_id(ns + pod),
                              .command = shell("exec cat /hami >&2"),
                              .annotations = cri_annotations(ns, pod, kPod, container)}),
              0);
    EXPECT_TRUE(ended_flow(daemon, "pod/" + ns + "/" + pod + "/"));
  };
  speak("tenant", "kube-scheduler-node1", "kube-scheduler");
  speak("tenant", kHami, "vgpu-scheduler-extender");
  speak("kube-system", "innocent", "kube-scheduler");
  const auto stats = daemon.settled_stats();
  EXPECT_EQ(stats.series.at("flowtap_diagnosis_pods"), 0);
  const auto answer = ask(daemon, name_of(0));
  EXPECT_EQ(answer.status, 404);
  EXPECT_NE(answer.body.find("not seen on this node"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("no scheduler's log is captured here"), std::string::npos) << answer.body;
  // The same words are believed from a scheduler.
  speak("kube-system", kHami, "vgpu-scheduler-extender");
  EXPECT_TRUE(eventually([&] { return listed(daemon).as_array().size() == 2; }));
}

TEST(Explain, IsOffWhereItIsSwitchedOff) {
  const ScratchRoot root;
  Daemon daemon(root, {.config = "explain: {enabled: false}\n", .stream = true});
  daemon.wait_ready();
  const auto answer = ask(daemon, "x");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("the explain path is off"), std::string::npos) << answer.body;
  EXPECT_FALSE(daemon.component("explain"));
}

TEST(Explain, NeedsTheStreamPath) {
  const ScratchRoot root;
  Daemon daemon(root);  // it captures nothing
  daemon.wait_ready();
  const auto answer = ask(daemon, "x");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("the stream path is off"), std::string::npos) << answer.body;
  EXPECT_FALSE(daemon.component("explain")) << "nothing is missing";
}

}  // namespace
}  // namespace flowtap::test
