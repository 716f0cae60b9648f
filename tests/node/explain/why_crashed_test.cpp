// How a container ended and what it wrote last == what `flowtap why` says of its pod.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>

#include "base/rfc3339.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

Outcome why(const Daemon& daemon, const std::string& pod, const std::string& more = "") {
  return flowtap_program(more + " why shop/" + pod + " --state-dir " + daemon.state_dir());
}

// Waits until it is told. Empty: it never is.
json::object crash(const Daemon& daemon, const std::string& pod) {
  json::object found;
  EXPECT_TRUE(eventually([&] {
    const Outcome run = why(daemon, pod, "-o json");
    if (run.exit != 0) return false;
    const json::value told = json::parse(run.output);
    if (told.at("exits").as_array().empty()) return false;
    found = told.at("exits").at(0).as_object();
    return !found.at("lines").as_array().empty();
  })) << why(daemon, pod).output;
  return found;
}

struct Life {
  const char* pod;
  const char* script;
  int status;  // as the container's shell would give it
  const char* member;
  unsigned wanted;
  json::array lines;
};

TEST(WhyCrashed, CodeOrSignalAndTheLastLines) {
  const ScratchRoot root;
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  json::array last_ten;
  for (int i = 91; i <= 100; ++i) last_ten.emplace_back(fmt::format("line {}", i));
  const std::vector<Life> lives = {
      {"fails-0",
       "{ echo on its way; echo last words; } >&2; exit 42",
       42,
       "code",
       42,
       {"on its way", "last words"}},
      {"talks-0", "for i in $(seq 100); do echo line $i; done; exit 1", 1, "code", 1, last_ten},
      {"dies-0", "echo alive; while [ ! -e /never ]; do sleep 0.01; done", 137, "signal", 9, {"alive"}},
  };
  for (const Life& life : lives) {
    SCOPED_TRACE(life.pod);
    const std::string id = container_id(life.pod);
    const auto began = std::chrono::system_clock::now();
    const auto container = containerd.start({.id = id,
                                             .command = shell(life.script),
                                             .annotations = cri_annotations("shop", life.pod, kPod, "app")});
    if (life.status == 137) {
      ASSERT_TRUE(eventually([&] { return containerd.out(id) == "alive\n"; }));
      containerd.kill(id);
    }
    EXPECT_EQ(container->wait(), life.status) << container->last_words();
    const auto over = std::chrono::system_clock::now();
    const json::object exit = crash(daemon, life.pod);
    if (exit.empty()) continue;
    EXPECT_EQ(exit.at("container").as_string(), "app");
    EXPECT_EQ(exit.at(life.member).to_number<unsigned>(), life.wanted);
    EXPECT_FALSE(exit.contains(life.status == 137 ? "code" : "signal"));
    EXPECT_FALSE(exit.at("oom").as_bool());
    EXPECT_EQ(exit.at("lines").as_array(), life.lines);
    const auto when = parse_rfc3339(std::string(exit.at("time").as_string()));
    ASSERT_TRUE(when);
    EXPECT_GE(*when, began);
    EXPECT_LE(*when, over);
    const Outcome text = why(daemon, life.pod);
    EXPECT_EQ(text.exit, 0);
    fmt::print("{}", text.output);
  }
  // A container that ends well is no crash, whatever it was before; and its pod is known here.
  EXPECT_EQ(containerd.run({.id = container_id("well"),
                            .command = shell("echo done"),
                            .annotations = cri_annotations("shop", "fails-0", kPod, "app"),
                            .restart = 1}),
            0);
  EXPECT_TRUE(eventually([&] { return why(daemon, "fails-0").output.contains("ended with code 0"); }))
      << why(daemon, "fails-0").output;
  const Outcome well = why(daemon, "fails-0");
  EXPECT_EQ(well.exit, 0);
  EXPECT_FALSE(well.output.contains("ended with code 42") || well.output.contains("not seen")) << well.output;
}

}  // namespace
}  // namespace flowtap::test
