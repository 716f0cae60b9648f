// How flowtapd begins and ends: signals, deaths, and two of them on one node.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/support/daemon/daemon.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/net/sockets.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

using stats::test::bind_inet;
using stats::test::bind_unix;
using stats::test::port_of;

// What is promised, and some time for a machine with other work to do.
constexpr std::chrono::seconds kStopLimit{5 + 3};

// Whether /api/v1/status says this of a backend.
bool is_stuck(const Daemon& daemon, const std::string& backend) {
  const auto report = daemon.status();
  for (const auto& b : report.at("backends").as_array())
    if (b.at("name").as_string() == backend)
      return !b.at("up").as_bool() && b.at("pending").to_number<std::uint64_t>() > 0;
  return false;
}

void expect_end(Daemon& daemon, int signal) {
  daemon.signal(signal);
  const auto status = daemon.wait(kStopLimit);
  ASSERT_TRUE(status) << "it still runs\n" << daemon.err();
  EXPECT_EQ(*status, 0) << daemon.err();
  EXPECT_FALSE(std::filesystem::exists(daemon.socket())) << "its socket is still there";
}

TEST(Lifecycle, SignalsEndIt) {
  const ScratchRoot root;
  for (const int signal : {SIGTERM, SIGINT}) {
    Daemon daemon(root);
    daemon.wait_ready();
    expect_end(daemon, signal);
  }
}

TEST(Lifecycle, TakesAllTheDescriptorsThatItMayHave) {
  const ScratchRoot root;
  const rlimit limit{256, 2000};
  Daemon daemon(root, {.before_exec = [&limit] {
                  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::_exit(1);
                }});
  daemon.wait_ready();
  EXPECT_EQ(daemon.stats().series.at("process_max_fds"), 2000);
}

TEST(Lifecycle, EndsThoughAStatsdAgentNeverReads) {
  const ScratchRoot root;
  const Fd agent = bind_unix(SOCK_DGRAM, root.file("agent"));
  ASSERT_TRUE(agent.valid());
  Daemon daemon(root, {.flags = {"--cycle", "5ms", "--statsd", "unix://" + root.file("agent")}});
  daemon.wait_ready();
  ASSERT_TRUE(eventually([&daemon] { return is_stuck(daemon, "statsd"); })) << "its queue never filled";
  expect_end(daemon, SIGTERM);
}

TEST(Lifecycle, EndsThoughAJsonPeerNeverReads) {
  const ScratchRoot root;
  const Fd peer = bind_inet(SOCK_STREAM, 0);
  const int small = 4096;
  ASSERT_EQ(::setsockopt(peer.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
  ASSERT_EQ(::listen(peer.get(), 8), 0);  // connections are made, and nobody ever accepts them
  Daemon daemon(root, {.flags = {"--cycle", "5ms", "--json-lines",
                                 "tcp://127.0.0.1:" + std::to_string(port_of(peer))}});
  daemon.wait_ready();
  ASSERT_TRUE(eventually([&daemon] { return is_stuck(daemon, "json_lines"); })) << "its buffers never filled";
  expect_end(daemon, SIGTERM);
}

TEST(Lifecycle, EndsThoughAScraperHoldsItsConnection) {
  const ScratchRoot root;
  Daemon daemon(root);
  daemon.wait_ready();
  const Fd slow(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(daemon.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_TRUE(slow.valid());
  ASSERT_EQ(::connect(slow.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  ASSERT_EQ(::send(slow.get(), "GET /met", 8, MSG_NOSIGNAL), 8);  // and no more than that
  ASSERT_EQ(get_tcp(daemon.port(), "/metrics").status, 200);
  expect_end(daemon, SIGTERM);
}

TEST(Lifecycle, AKilledOneLeavesNothingThatHinders) {
  const ScratchRoot root;
  const std::uint16_t port = free_port();
  // It is killed at any moment of its start, and when it runs.
  for (int i = 0; i < 8; ++i) {
    Daemon daemon(root, {.prometheus = port});
    if (i == 7) daemon.wait_ready();
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * i));
    daemon.signal(SIGKILL);
    ASSERT_EQ(daemon.wait(), 128 + SIGKILL) << daemon.err();
  }
  EXPECT_TRUE(std::filesystem::exists(api::socket_path(root.file("state"))))
      << "so nothing was left, and nothing is shown";
  Daemon daemon(root, {.prometheus = port});
  daemon.wait_ready();
  EXPECT_GT(sum_of(daemon.settled_stats().series, "dispatched_tasks_total"), 0);
  for (const char* name : {"api", "count", "prometheus"}) EXPECT_TRUE(daemon.component(name)->up) << name;
  EXPECT_EQ(get_tcp(port, "/metrics").status, 200);
}

TEST(Lifecycle, TheSecondOnOneNodeSaysSoAndEnds) {
  const ScratchRoot root;
  Daemon first(root);
  first.wait_ready();
  Daemon second(root);
  EXPECT_EQ(second.wait(), 1);
  EXPECT_NE(second.err().find("(pid " + std::to_string(first.pid()) + ")"), std::string::npos)
      << second.err();
  EXPECT_NE(second.err().find("hint: use that one ('flowtap status --state-dir " + first.state_dir() + "')"),
            std::string::npos)
      << second.err();
  // The first one has not noticed.
  EXPECT_TRUE(first.running());
  EXPECT_GT(first.settled_stats().cycle, 0U);
  EXPECT_EQ(get_tcp(first.port(), "/metrics").status, 200);
}

TEST(Lifecycle, WhoAsksInAnotherDirectoryIsToldWhereTheOneThatRunsIs) {
  const ScratchRoot root;
  Daemon daemon(root);
  daemon.wait_ready();
  Process asked({.argv = {paths::flowtap(), "status", "--state-dir", root.file("other")},
                 .out = root.file("asked.out"),
                 .err = root.file("asked.err")});
  EXPECT_EQ(asked.wait(), 4);
  EXPECT_EQ(root.read("asked.err"),
            "flowtap: nobody listens on " + root.file("other") +
                "/api.sock: the state directory of the flowtapd that runs here (process " +
                std::to_string(daemon.pid()) + ") is " + daemon.state_dir() +
                "\n  hint: name that directory: --state-dir " + daemon.state_dir() + "\n");
}

TEST(Lifecycle, DetachWaitsForTheEndOfTheOneThatRuns) {
  const ScratchRoot root;
  const std::string pins = root.file("bpffs") + "/flowtap";
  const std::string config = root.write("detach.yaml", "stream: {bpffs: " + root.file("bpffs") + "}\n");
  const std::vector<std::string> flags{"--detach", "--host-root", root.path(), "--config", config};
  Daemon daemon(root, {.stream = true});
  daemon.wait_ready();
  ASSERT_TRUE(std::filesystem::exists(pins));
  const Ended refused = run_flowtapd(root, flags);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("(pid " + std::to_string(daemon.pid()) + ") is already running"),
            std::string::npos)
      << refused.err;
  EXPECT_NE(refused.err.find("hint: "), std::string::npos) << refused.err;
  EXPECT_TRUE(std::filesystem::exists(pins));

  expect_end(daemon, SIGTERM);
  EXPECT_TRUE(std::filesystem::exists(pins)) << "the next one takes them over";
  const Ended elsewhere = run_flowtapd(root, {"--detach", "--host-root", root.path() + "/"});
  EXPECT_EQ(elsewhere.out,
            "nothing of flowtap is pinned below " + root.path() +
                "/sys/fs/bpf\nif stream.bpffs names another place in flowtapd's configuration, "
                "give that file with --config\n");
  EXPECT_TRUE(std::filesystem::exists(pins));
  const Ended detached = run_flowtapd(root, flags);
  EXPECT_EQ(detached.status, 0) << detached.err;
  // Others on this machine may have written meanwhile, and what is lost of that is told behind it.
  EXPECT_TRUE(
      detached.out.starts_with("what flowtap had pinned below " + root.file("bpffs") + " is removed\n"))
      << detached.out;
  EXPECT_FALSE(std::filesystem::exists(pins));
  EXPECT_EQ(run_flowtapd(root, flags).out, "nothing of flowtap is pinned below " + root.file("bpffs") + "\n");
}

}  // namespace
}  // namespace flowtap::test
