// Pods that belong together are listed, filtered and read as one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <csignal>
#include <map>
#include <memory>
#include <sstream>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

class Groups : public testing::Test {
 protected:
  void start(const std::string& rules) {
    daemon_.emplace(root_, DaemonOptions{.stream = true, .sources = "flow_rules: " + rules});
    daemon_->wait_ready();
  }
  Containerd::Container pod(const std::string& name, const std::vector<std::string>& command,
                            const std::string& container = "main", const std::string& ns = "flows") {
    return {.id = container_id(name + container),
            .command = command,
            .annotations = cri_annotations(ns, name, kPod, container)};
  }
  // Runs `flowtap` with these words. Its output goes to `name`, and its errors to `name`.err.
  std::unique_ptr<Process> flowtap(const std::string& name, const std::vector<std::string>& words) {
    Command command{.argv = {paths::flowtap(), "--state-dir", root_.file("state")},
                    .out = root_.file(name),
                    .err = root_.file(name + ".err")};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    return std::make_unique<Process>(command);
  }
  std::string output(const std::vector<std::string>& words, int status = 0) {
    const std::string name = "flowtap" + std::to_string(++runs_);
    EXPECT_EQ(flowtap(name, words)->wait(), status) << root_.read(name + ".err");
    return root_.read(status == 0 ? name : name + ".err");
  }
  std::map<std::string, std::string> groups(const std::string& query = "") {
    std::map<std::string, std::string> all;
    for (const FlowSeen& flow : flows_of(*daemon_, query)) {
      const auto ns = flow.text.find("namespace");
      // Others may run containers on this machine.
      if (ns == flow.text.end() || (ns->second != "flows" && ns->second != "jobs")) continue;
      const auto group = flow.text.find("group");
      all[flow.text.at("pod")] = group != flow.text.end() ? group->second : "-";
    }
    return all;
  }

  ScratchRoot root_;
  Containerd containerd_{root_};
  std::optional<Daemon> daemon_;
  int runs_ = 0;
};

TEST_F(Groups, AreListedByTheRulesOfTheMoment) {
  start(R"([{pod: "wf-(*)-step-*", group: "wf-$1"}, {pod: "(*)-?????", namespace: jobs, group: $1}])");
  for (const char* name : {"wf-1-step-a", "wf-1-step-b", "wf-2-step-a", "alone-abcde"})
    EXPECT_EQ(containerd_.run(pod(name, shell("echo hello"))), 0);
  EXPECT_EQ(containerd_.run(pod("sum-abcde", shell("echo hello"), "main", "jobs")), 0);
  ASSERT_TRUE(ended_flow(*daemon_, "pod/jobs/sum-abcde/"));
  using All = std::map<std::string, std::string>;
  EXPECT_EQ(groups(), (All{{"wf-1-step-a", "wf-1"},
                           {"wf-1-step-b", "wf-1"},
                           {"wf-2-step-a", "wf-2"},
                           {"alone-abcde", "-"},
                           {"sum-abcde", "sum"}}));
  EXPECT_EQ(groups("?group=wf-1"), (All{{"wf-1-step-a", "wf-1"}, {"wf-1-step-b", "wf-1"}}));
  EXPECT_EQ(groups("?group=nobody"), All());
  const std::string table = output({"flows", "--group", "wf-2"});
  EXPECT_NE(table.find("  wf-2   flows/wf-2-step-a  main"), std::string::npos) << table;
  EXPECT_EQ(table.find("wf-1"), std::string::npos) << table;
  std::string config = root_.read("flowtap.yaml");
  config.replace(config.find("wf-$1"), 5, "all");
  root_.write("flowtap.yaml", config);
  daemon_->signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return groups("?group=all").size() == 3; })) << daemon_->err();
  EXPECT_EQ(groups("?group=wf-1"), All());
  // A wrong rule changes nothing.
  config.replace(config.find("(*)-?????"), 9, "(*-??????");
  root_.write("flowtap.yaml", config);
  daemon_->signal(SIGHUP);
  ASSERT_TRUE(eventually([&] { return daemon_->err().find("has no ) for its (") != std::string::npos; }));
  EXPECT_EQ(groups("?group=sum"), (All{{"sum-abcde", "sum"}}));
}

constexpr const char* kRule = R"([{pod: "wf-(*)-step-*", group: "wf-$1"}])";

/// The lines of a text that begin with a mark, without it.
std::string marked(const std::string& text, const std::string& mark) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark + " ")) out += line.substr(mark.size() + 1) + "\n";
  return out;
}

// Writes the numbers from..to, one about every 20 ms, so that pods' lines alternate.
std::string counting(const std::string& word, int from, int to) {
  return "for i in $(seq " + std::to_string(from) + " " + std::to_string(to) + "); do echo " + word +
         " $i; sleep 0.02; done";
}

TEST_F(Groups, AreReadAsOneInTheOrderOfTime) {
  start(kRule);
  std::vector<std::unique_ptr<Process>> running;
  running.push_back(containerd_.start(pod("wf-1-step-a", shell(counting("a", 1, 30)))));
  running.push_back(containerd_.start(pod("wf-1-step-b", shell(counting("b", 1, 30)))));
  running.push_back(containerd_.start(pod("wf-1-step-b", shell("echo side; printf end"), "side")));
  running.push_back(containerd_.start(pod("wf-2-step-a", shell("echo of another"))));
  for (auto& one : running) EXPECT_EQ(one->wait(), 0) << one->last_words();
  for (const char* flow : {"wf-1-step-a/", "/main/0", "/side/0", "wf-2-step-a/"})
    ASSERT_TRUE(ended_flow(*daemon_, flow));
  const auto numbered = [](const std::string& word) {
    std::string all;
    for (int i = 1; i <= 30; ++i) all += word + " " + std::to_string(i) + "\n";
    return all;
  };
  std::string text;
  ASSERT_TRUE(eventually([&] {
    text = output({"logs", "--group", "wf-1"});
    return std::ranges::count(text, '\n') == 62;
  })) << text;
  EXPECT_EQ(marked(text, "wf-1-step-a"), numbered("a"));
  EXPECT_EQ(marked(text, "wf-1-step-b main"), numbered("b"));
  EXPECT_EQ(marked(text, "wf-1-step-b side"), "side\nend\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no colour in a pipe";
  // With --timestamps these are the same lines, and the times are in order.
  const std::string timed = output({"logs", "-g", "wf-1", "--timestamps"});
  std::istringstream lines(timed);
  std::string last;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string time = line.substr(line.find("20"), 30);
    EXPECT_LE(last, time) << line;
    last = time;
  }
  EXPECT_EQ(count, 62U);
  EXPECT_EQ(marked(output({"logs", "-g", "wf-1", "--tail", "1"}), "wf-1-step-b main"), "b 30\n");
  EXPECT_EQ(output({"logs", "-g", "wf-1", "-c", "side"}), "wf-1-step-b side\nwf-1-step-b end\n");
  EXPECT_EQ(output({"logs", "-g", "wf-1", "-c", "side", "--color", "always"}).find("\x1b["), 0U);
  const std::string json = output({"logs", "-g", "wf-2", "-o", "json"});
  EXPECT_TRUE(
      json.ends_with(R"("namespace":"flows","pod":"wf-2-step-a","container":"main","text":"of another"})"
                     "\n"))
      << json;
  // In OpenTelemetry's form each flow is a trace, and all records are in the order of time.
  std::istringstream records(output({"logs", "-g", "wf-1", "-o", "otel"}));
  std::map<std::string, int> traces;
  std::uint64_t newest = 0;
  for (std::string line; std::getline(records, line);) {
    const auto record = boost::json::parse(line).as_object();
    const std::uint64_t ns = std::stoull(std::string(record.at("timeUnixNano").as_string()));
    EXPECT_LE(newest, ns);
    newest = ns;
    ++traces[std::string(record.at("traceId").as_string())];
  }
  std::vector<int> counts;
  for (const auto& [trace, count_of] : traces) counts.push_back(count_of);
  EXPECT_THAT(counts, testing::UnorderedElementsAre(30, 30, 2));
  EXPECT_NE(output({"logs", "-g", "wf-3"}, 3).find("no pod of the group \"wf-3\" was seen"),
            std::string::npos);
  // For one pod, one container must be named, or all, as with kubectl.
  EXPECT_NE(output({"logs", "flows/wf-1-step-b"}, 1).find("choose one of: [main side]"), std::string::npos);
  EXPECT_EQ(output({"logs", "flows/wf-1-step-b", "-c", "side"}), "side\nend");
  const std::string all = output({"logs", "flows/wf-1-step-b", "--all-containers"});
  EXPECT_EQ(marked(all, "main"), numbered("b"));
  EXPECT_EQ(marked(all, "side"), "side\nend\n");
  EXPECT_NE(output({"logs", "flows/gone", "--all-containers"}, 3).find("is known on this node"),
            std::string::npos);
  EXPECT_NE(output({"logs", "flows/a", "--group", "b"}, 2).find("not both"), std::string::npos);
}

// Pods come while somebody follows. Each line is there once, in each container's order, until a signal ends it.
TEST_F(Groups, AreFollowedWithThePodsThatJoinLater) {
  start(kRule);
  constexpr unsigned kLines = 20'000;
  const std::string writes = "log_writer write 0 " + std::to_string(kLines / 2) + "; ";
  const std::string rest =
      "log_writer write " + std::to_string(kLines / 2) + " " + std::to_string(kLines / 2);
  const auto waiting = [&](const std::string& name) {
    return containerd_.start(
        pod(name, shell(writes + "until [ -e /go ] || [ ! -e /bin ]; do sleep 0.1; done; " + rest +
                        "; until [ -e /end ] || [ ! -e /bin ]; do sleep 0.1; done")));
  };
  const auto first = waiting("wf-1-step-a");
  const std::size_t half = writer_lines(0, kLines / 2).size();
  ASSERT_TRUE(eventually([&] {
    const auto flows = flows_of(*daemon_, "?group=wf-1");
    return flows.size() == 1 && flows.front().bytes >= half;
  }));
  const auto follower = flowtap("followed", {"logs", "--group", "wf-1", "-f"});
  ASSERT_TRUE(eventually([&] { return marked(root_.read("followed"), "wf-1-step-a").size() >= half; }));
  const auto second = waiting("wf-1-step-b");
  EXPECT_EQ(containerd_.run(pod("wf-2-step-a", shell("echo of another"))), 0);
  // This pod has ended before anybody can have asked for its log.
  EXPECT_EQ(containerd_.run(pod("wf-1-step-short", shell("echo short"))), 0);
  ASSERT_TRUE(eventually([&] { return marked(root_.read("followed"), "wf-1-step-b").size() >= half; }));
  let_go(root_, "go");
  const std::string wanted = writer_lines(0, kLines);
  EXPECT_TRUE(eventually([&] {
    const std::string text = root_.read("followed");
    return marked(text, "wf-1-step-a").size() >= wanted.size() &&
           marked(text, "wf-1-step-b").size() >= wanted.size() && !marked(text, "wf-1-step-short").empty();
  }));
  // A shim gives up what it has not read two seconds after its container has ended (containerd, Init.delete), and a busy machine may
  // keep it from reading for as long.
  let_go(root_, "end");
  EXPECT_EQ(first->wait(), 0) << first->last_words();
  EXPECT_EQ(second->wait(), 0) << second->last_words();
  follower->signal(SIGINT);
  EXPECT_EQ(follower->wait(), 0) << root_.read("followed.err");
  EXPECT_EQ(root_.read("followed.err"), "");
  const std::string text = root_.read("followed");
  EXPECT_EQ(difference(marked(text, "wf-1-step-a"), wanted), "");
  EXPECT_EQ(difference(marked(text, "wf-1-step-b"), wanted), "");
  EXPECT_EQ(marked(text, "wf-1-step-short"), "short\n");
  EXPECT_EQ(text.find("of another"), std::string::npos);
}

}  // namespace
}  // namespace flowtap::test
