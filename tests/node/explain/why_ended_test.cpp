// Ends of what is in no pod, ends that are not the container's own, kills of children; and all of that after flowtapd was
// started again.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/node/stream/captured.hpp"
#include "tests/node/telemetry/in_v1.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/golden.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kMiB = 1U << 20U;

/// The command of the only container in a pod of golden/found.
std::vector<std::string> command_of(const std::string& pod) {
  const json::value spec = json::parse(golden("found/k8s-1.36/" + pod)).at("spec");
  return json::value_to<std::vector<std::string>>(spec.at("containers").at(0).at("command"));
}

class WhyEnded : public testing::Test {
 protected:
  WhyEnded() { start(); }
  void start() {
    daemon_ = std::make_unique<Daemon>(root_, kCapturing);
    daemon_->wait_ready();
  }
  void restart(int signal) {
    daemon_->signal(signal);
    EXPECT_TRUE(daemon_->wait());
    start();
  }
  [[nodiscard]] Outcome why(const std::string& arguments) const {
    return flowtap_program("why " + arguments + " --state-dir " + daemon_->state_dir());
  }
  // Waits until it has this list.
  [[nodiscard]] json::object told(const std::string& of, const char* list) const {
    json::object found;
    EXPECT_TRUE(eventually([&] {
      const Outcome run = why(of + " -o json");
      if (run.exit != 0) return false;
      found = json::parse(run.output).as_object();
      return found.contains(list) && !found.at(list).as_array().empty();
    })) << why(of).output;
    return found;
  }
  // What is told of its first end, as text that does not change with time.
  [[nodiscard]] std::string exits(const std::string& of) const {
    return json::serialize(told(of, "exits")["exits"]);
  }

  ScratchRoot root_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(WhyEnded, PodmansContainersByNameAndIdAlsoAfterARestart) {
  Podman podman(root_);
  const std::string name = fmt::format("batch{}", ::getpid());
  const std::string id = podman.start({.name = name, .command = shell("echo last words; exit 3")});
  EXPECT_EQ(podman.wait(name), 3);
  json::object exit;
  EXPECT_TRUE(eventually([&] {
    exit = told(name, "exits")["exits"].at(0).as_object();
    return !exit.at("lines").as_array().empty();
  }));
  EXPECT_EQ(exit.at("container").as_string(), name);
  EXPECT_EQ(exit.at("id").as_string(), id);
  EXPECT_EQ(exit.at("code"), 3);
  EXPECT_EQ(exit.at("lines"), json::array({"last words"}));
  const Outcome text = why(name);
  fmt::print("{}", text.output);
  EXPECT_TRUE(text.output.starts_with(fmt::format("{0}: the container {0} ended with code 3, ", name)))
      << text.output;
  const std::string before = exits(name);
  EXPECT_EQ(exits(id.substr(0, 12)), before);
  EXPECT_EQ(exits("container/" + name + "-" + id.substr(0, 12)), before);
  for (const int signal : {SIGTERM, SIGKILL}) {
    restart(signal);
    EXPECT_EQ(exits(name), before) << "signal " << signal;
  }
  podman.podman({"start", name});
  podman.wait(name);
  EXPECT_TRUE(eventually([&] { return exits(name) != before; })) << "the second run's is another end";
}

TEST_F(WhyEnded, AContainerThatNeverStartedHasNoCodeOfItsOwn) {
  Containerd containerd(root_);
  const std::string id = container_id("never");
  const auto container = containerd.start({.id = id,
                                           .command = command_of("start-error-pod.json"),
                                           .annotations = cri_annotations("shop", "never-0", kPod, "app")});
  EXPECT_NE(container->wait(), 0);
  const json::object exit = told("shop/never-0", "exits")["exits"].at(0).as_object();
  EXPECT_EQ(exit.at("container"), "app");
  EXPECT_EQ(exit.at("started"), false);
  EXPECT_FALSE(exit.contains("code") || exit.contains("signal")) << json::serialize(exit);
  const Outcome text = why("shop/never-0");
  fmt::print("{}", text.output);
  EXPECT_TRUE(text.output.contains("the container app was never started: its program could not be executed"))
      << text.output;
}

TEST_F(WhyEnded, AChildThatWasKilledForWantOfMemoryAlsoAfterARestart) {
  Containerd containerd(root_);
  const std::string id = container_id("oomchild");
  // What the pod's image calls hog. The container goes on until flowtapd was started again.
  const std::string hog = R"(hog() { sh -c 'x=$(head -c 100000000 /dev/zero | tr "\\0" x); echo fed'; }; )";
  const std::string script = hog + command_of("oom-of-a-child-pod.json").at(2) +
                             "; until [ -e /go ] || [ ! -e /bin ]; do sleep 0.05; done";
  // Where v2 does not have the memory controller, runc sees none. Then the test does what runc would do in v1.
  const InV1 v1({"memory"}, fmt::format("ftap-oom-{}", ::getpid()));
  const std::string limit = v1.file("memory", "memory.limit_in_bytes");
  const auto container = containerd.start({.id = id,
                                           .command = shell_after("begin", script),
                                           .annotations = cri_annotations("shop", "oom-0", kPod, "app"),
                                           .limits = {.memory_bytes = limit.empty() ? 24 * kMiB : 0}});
  if (!limit.empty()) {
    std::ofstream(limit) << 24 * kMiB << std::flush;
    v1.add(containerd.pid(id));
  }
  let_go(root_, "begin");
  ASSERT_TRUE(eventually([&] { return containerd.out(id) == "parent\nchild ended 137\n"; }))
      << containerd.out(id);
  const auto kills = [&] { return told("shop/oom-0", "oom_kills")["oom_kills"]; };
  const json::value before = kills();
  EXPECT_EQ(before.at(0).at("container"), "app");
  EXPECT_EQ(before.at(0).at("process"), "sh");
  EXPECT_EQ(before.at(0).at("count"), 1);
  fmt::print("{}", why("shop/oom-0").output);
  restart(SIGKILL);
  EXPECT_EQ(kills(), before) << "it goes on";
  let_go(root_, "go");
  EXPECT_EQ(container->wait(), 0);
  const json::object all = told("shop/oom-0", "exits");
  EXPECT_EQ(all.at("exits").at(0).at("code"), 0);
  EXPECT_EQ(all.at("exits").at(0).at("oom"), false);
  EXPECT_EQ(all.at("oom_kills"), before);
  const Outcome text = why("shop/oom-0");
  fmt::print("{}", text.output);
  EXPECT_TRUE(text.output.contains(
      "the process \"sh\" of the container app was killed, because memory was used up (OOM)"))
      << text.output;
}

TEST_F(WhyEnded, AServiceByTheProcessThatEndedBadly) {
  const std::string unit = fmt::format("ftap{}.service", ::getpid());
  std::optional<ScratchCgroup> cgroup(fmt::format("ftap{}.slice/{}", ::getpid(), unit));
  const auto live = [&](const std::string& script) {
    return Process(Command{.argv = {"/bin/sh", "-c", script},
                           .out = "/dev/null",
                           .err = "/dev/null",
                           .before_exec = [&cgroup] { cgroup->join(); }})
        .wait();
  };
  EXPECT_EQ(live("sleep 0.2; sh -c 'exit 7'; exit 42"), 42);
  const json::object exit = told(unit, "exits")["exits"].at(0).as_object();
  EXPECT_EQ(exit.at("unit").as_string(), unit);
  EXPECT_EQ(exit.at("process"), "sh");
  EXPECT_EQ(exit.at("code"), 42);
  fmt::print("{}", why(unit).output);
  const std::string before = exits(unit);
  restart(SIGTERM);
  EXPECT_EQ(exits(unit), before);
  EXPECT_EQ(live("exit 0"), 0);
  EXPECT_TRUE(eventually([&] { return !why(unit).output.contains("code 42"); }))
      << "the next run is another one";
}

TEST_F(WhyEnded, AServiceThatEndedWell) {
  const std::string unit = fmt::format("ftapwell{}.service", ::getpid());
  ScratchCgroup cgroup(fmt::format("ftapwell{}.slice/{}", ::getpid(), unit));
  const auto live = [&](const std::string& script) {
    EXPECT_TRUE(Process(Command{.argv = {"/bin/sh", "-c", script},
                                .out = "/dev/null",
                                .err = "/dev/null",
                                .before_exec = [&cgroup] { cgroup.join(); }})
                    .wait());
  };
  const auto ended = [&](const char* how, const json::value& value) {
    EXPECT_TRUE(eventually([&] {
      const json::object exit = told(unit, "exits")["exits"].at(0).as_object();
      return exit.contains(how) && exit.at(how) == value;
    })) << why(unit).output;
    return told(unit, "exits")["exits"].at(0).as_object();
  };
  live("sleep 0.2; sh -c 'exit 7'; exit 0");
  const json::object well = ended("code", 0);
  EXPECT_EQ(well.at("unit").as_string(), unit);
  EXPECT_EQ(well.at("process"), "sh");
  EXPECT_EQ(well.at("success"), true);
  const Outcome text = why(unit);
  fmt::print("{}", text.output);
  EXPECT_TRUE(text.output.starts_with(unit + ": its process \"sh\" ended with code 0, ")) << text.output;
  live("exit 3");
  EXPECT_FALSE(ended("code", 3).contains("success"));
  live("kill -TERM $$");
  EXPECT_EQ(ended("signal", 15).at("success"), true) << "in this way somebody stops it";
  live("kill -KILL $$");
  EXPECT_FALSE(ended("signal", 9).contains("success"));
  live("exit 0");
  const json::object last = ended("code", 0);
  restart(SIGTERM);
  EXPECT_EQ(told(unit, "exits")["exits"].at(0), last);
}

}  // namespace
}  // namespace flowtap::test
