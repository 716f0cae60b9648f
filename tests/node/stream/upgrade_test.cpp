// A build with another layout takes the place of the running one, and that one takes it back, while containers write. Nothing is
// missing and nothing is double.
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "bpf/abi/log.h"
#include "kernel/map_view.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/support/seed.hpp"

namespace flowtap::test {
namespace {

// Writes until it is told to stop, however long the upgrades take, and then says how many parts there are.
constexpr unsigned kPart = 1000;
const std::string kWriter =
    "i=0; while [ -e /bin ] && [ ! -e /stop ]; do log_writer write $((i * 1000)) 1000; sleep 0.1; i=$((i + "
    "1)); "
    "done; echo $i >/parts.";

const DaemonOptions kTomorrow = [] {
  DaemonOptions options = capturing();
  options.program = paths::flowtapd_next();
  return options;
}();

void start_writers(Podman& podman) {
  podman.start({.name = "one", .command = {"sh", "-c", kWriter + "one"}});
  podman.start({.name = "other", .command = {"sh", "-c", "exec >&2; " + kWriter + "other"}});
}

std::uint64_t captured(const Daemon& daemon) {
  std::uint64_t sum = 0;
  for (const FlowSeen& flow : flows_of(daemon, "?kind=container")) sum += flow.bytes;
  return sum;
}

std::string all_flows(const Daemon& daemon) {
  std::string all;
  for (const FlowSeen& flow : flows_of(daemon)) {
    all +=
        fmt::format("{}: {} bytes, {} missing, {} streams", flow.id, flow.bytes, flow.missing, flow.streams);
    for (const auto& [output, capture] : flow.capture) all += fmt::format(" {}={}", output, capture);
    all += '\n';
  }
  return all;
}

void expect_all(const ScratchRoot& root, Podman& podman, const Daemon& daemon) {
  root.write("busybox/stop", "");
  for (const auto& [name, stream] : {std::pair{"one", "stdout"}, {"other", "stderr"}}) {
    EXPECT_EQ(podman.wait(name), 0);
    const auto flow = ended_flow(daemon, std::string("container/") + name + "-");
    ASSERT_TRUE(flow);
    SCOPED_TRACE(all_flows(daemon));
    EXPECT_EQ(flow->missing, 0U) << daemon.metrics();
    const auto parts = static_cast<unsigned>(std::stoul(root.read(std::string("busybox/parts.") + name)));
    // The flow's file has it, too: its lines go on under another stream's number, and one may be cut where that begins.
    expect_stream(daemon, *flow, stream, writer_lines(0, parts * kPart));
  }
}

void kill(Daemon& daemon) {
  daemon.signal(SIGKILL);
  EXPECT_EQ(daemon.wait(), 128 + SIGKILL);
}

// The hooks that are in the kernel, by their pins.
std::set<std::string> hooks_of(const ScratchRoot& root) {
  constexpr std::string_view kLink = "link_";
  std::set<std::string> hooks;
  for (const auto& pin : std::filesystem::directory_iterator(root.file("bpffs/flowtap/hooks"))) {
    const std::string name = pin.path().filename();
    if (name.starts_with(kLink)) hooks.insert(name.substr(kLink.size()));
  }
  return hooks;
}

// The one build that is pinned.
class Pinned {
 public:
  explicit Pinned(const ScratchRoot& root) {
    for (const auto& pin : std::filesystem::recursive_directory_iterator(root.file("bpffs/flowtap"))) {
      if (pin.path().filename() != "control") continue;
      const Fd map(::bpf_obj_get(pin.path().c_str()));
      auto view = kernel::MapView<ftap_log_control>::map(map.get(), 1);
      if (!view) throw std::runtime_error(view.error().what);
      control_ = std::move(*view);
      return;
    }
    throw std::runtime_error("no build is pinned");
  }

  /// Returns at once when another build has relieved it, and that one still has to drain what this one captured.
  void wait_until_muted() const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (__atomic_load_n(&control_.elements().front().muted, __ATOMIC_ACQUIRE) == 0) {
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("nobody has relieved this build");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  kernel::MapView<ftap_log_control> control_;
};

TEST(Upgrade, ToAnotherLayoutAndBackUnderLoad) {
  const ScratchRoot root;
  Podman podman(root);
  auto daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  const std::set<std::string> todays = hooks_of(root);
  std::set<std::string> tomorrows = todays;
  EXPECT_TRUE(tomorrows.insert("wait").second);  // tests/next/logtap.bpf.c
  start_writers(podman);
  std::uint64_t before = 0;
  for (const DaemonOptions* next : {&kTomorrow, &kCapturing, &kTomorrow}) {
    ASSERT_TRUE(eventually([&] { return captured(*daemon) > before + 100'000; }));
    before = captured(*daemon);
    kill(*daemon);
    daemon = std::make_unique<Daemon>(root, *next);
    daemon->wait_ready();
    EXPECT_EQ(daemon->status().at("stream").at("reason").as_string(), "took over from another build");
    EXPECT_EQ(hooks_of(root), next == &kTomorrow ? tomorrows : todays);
  }
  expect_all(root, podman, *daemon);
}

// The new build is killed at any moment of its start, and now and then the old one is.
TEST(Upgrade, KilledAtAnyMomentOfIt) {
  const ScratchRoot root;
  Podman podman(root);
  auto daemon = std::make_unique<Daemon>(root, kCapturing);
  daemon->wait_ready();
  start_writers(podman);
  ASSERT_TRUE(eventually([&] { return captured(*daemon) > 0; }));
  kill(*daemon);
  const unsigned seed = test::seed();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 8; ++i) {
    const std::chrono::milliseconds moment(std::uniform_int_distribution(100, 1200)(random));
    Daemon killed(root, i % 4 == 3 ? kCapturing : kTomorrow);
    std::this_thread::sleep_for(moment);
    kill(killed);
  }
  daemon = std::make_unique<Daemon>(root, kTomorrow);
  daemon->wait_ready();
  expect_all(root, podman, *daemon);
}

// Tomorrow's build is relieved and muted, but still has a hook that today's does not know.
TEST(Upgrade, KilledBeforeItHasDrained) {
  const ScratchRoot root;
  Podman podman(root);
  bool in_time = false;
  for (int i = 0; i < 5 && !in_time; ++i) {
    Daemon tomorrow(root, kTomorrow);
    tomorrow.wait_ready();
    if (i == 0) start_writers(podman);
    const std::uint64_t before = captured(tomorrow);
    ASSERT_TRUE(eventually([&] { return captured(tomorrow) > before; }));
    kill(tomorrow);
    const Pinned pinned(root);
    Daemon today(root, kCapturing);
    pinned.wait_until_muted();
    kill(today);
    in_time = hooks_of(root).contains("wait");
  }
  ASSERT_TRUE(in_time) << "today's build had removed what tomorrow's had left each time";
  Daemon daemon(root, kTomorrow);
  daemon.wait_ready();
  EXPECT_EQ(daemon.status().at("stream").at("reason").as_string(), "took over from another build");
  expect_all(root, podman, daemon);
}

// More waits in the ring of the build before than the journal holds, so it is taken while it is drained. No runtime has kept it,
// so it cannot be looked for elsewhere.
TEST(Upgrade, OverABacklogThatIsLargerThanTheJournal) {
  constexpr unsigned kLines = 200'000;
  DaemonOptions today = capturing();
  today.room = "flows_bytes: 134217728, journal_bytes: 8388608, flow_bytes: 67108864";
  DaemonOptions tomorrow = today;
  tomorrow.program = paths::flowtapd_next();
  const ScratchRoot root;
  Podman podman(root);
  auto daemon = std::make_unique<Daemon>(root, today);
  daemon->wait_ready();
  podman.start({.name = "one",
                .command = shell_after("go-one", "log_writer write 0 10"),
                .flags = {"--log-driver=none"}});
  podman.start({.name = "other",
                .command = shell_after("go-other", "log_writer write 0 " + std::to_string(kLines)),
                .flags = {"--log-driver=none"}});
  wait_until_waits(root, "go-one");
  wait_until_waits(root, "go-other");
  kill(*daemon);
  for (const std::string name : {"one", "other"}) {
    let_go(root, "go-" + name);
    EXPECT_EQ(podman.wait(name), 0);
  }
  daemon = std::make_unique<Daemon>(root, tomorrow);
  daemon->wait_ready();
  EXPECT_EQ(daemon->status().at("stream").at("reason").as_string(), "took over from another build");
  for (const auto& [name, lines] : {std::pair{"one", 10U}, {"other", kLines}}) {
    const auto flow = ended_flow(*daemon, std::string("container/") + name + "-");
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->missing, 0U);
    const std::string wanted = writer_lines(0, lines);
    const auto text = [&, id = flow->id] { return log_text(*daemon, id, "stdout"); };
    EXPECT_TRUE(eventually([&] { return text() == wanted; })) << text().size() << " of " << wanted.size();
  }
}

// An upgrade begins threads before rights are dropped. None of them is left.
TEST(Upgrade, LeavesNoThreadWithMoreRights) {
  const ScratchRoot root;
  DaemonOptions today = capturing();
  today.sources = "main_log: " + root.file("main.log");
  DaemonOptions tomorrow = today;
  tomorrow.program = paths::flowtapd_next();
  {
    Daemon before(root, tomorrow);
    before.wait_ready();
    kill(before);
  }
  Daemon daemon(root, today);
  daemon.wait_ready();
  EXPECT_EQ(daemon.status().at("stream").at("reason").as_string(), "took over from another build");
  std::set<std::string> rights;
  std::size_t threads = 0;
  const std::string tasks = "/proc/" + std::to_string(daemon.pid()) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream status(task.path() / "status");
    std::string all;
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("CapEff:") || line.starts_with("Seccomp:")) all += line + "\n";
    rights.insert(all);
    ++threads;
  }
  EXPECT_GE(threads, 5U);
#ifndef __SANITIZE_THREAD__  // it has a thread of its own, which begins with the first of the others
  EXPECT_EQ(rights.size(), 1U) << *rights.begin() << *rights.rbegin();
#endif
  EXPECT_TRUE(rights.begin()->contains("Seccomp:\t2"));
}

}  // namespace
}  // namespace flowtap::test
