// SIGHUP: what changed in the file takes effect, what did not goes on, and a wrong file changes nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "tests/node/daemon/dispatched.hpp"
#include "tests/node/daemon/surroundings.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/net/sockets.hpp"
#include "tests/support/occurrences.hpp"

namespace flowtap::test {
namespace {

class Reload : public testing::Test {
 protected:
  Daemon& start(const std::string& config, std::function<void()> before_exec = {}) {
    daemon_ = std::make_unique<Daemon>(
        root_,
        DaemonOptions{.config = config, .prometheus = std::nullopt, .before_exec = std::move(before_exec)});
    return daemon_->wait_ready();
  }
  // Returns when the file has been read.
  void change(const std::string& config, const std::string& answer = "configuration reloaded") {
    const std::size_t before = occurrences(daemon_->err(), answer);
    root_.write("flowtap.yaml", config);
    daemon_->signal(SIGHUP);
    ASSERT_TRUE(eventually([&] { return occurrences(daemon_->err(), answer) > before; })) << daemon_->err();
  }
  [[nodiscard]] double cycle_seconds() const {
    return daemon_->status().at("count").at("cycle_seconds").to_number<double>();
  }
  static std::string prometheus_at(std::uint16_t port) {
    return "prometheus: {enabled: true, address: '127.0.0.1:" + std::to_string(port) + "'}\n";
  }

  ScratchRoot root_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(Reload, TheCycleChanges) {
  start("cycle: 1m\n");
  const SeriesMap before = daemon_->stats().series;
  change("cycle: 20ms\n");
  EXPECT_EQ(cycle_seconds(), 0.02);
  const Stats after = daemon_->settled_stats();  // without the reload this would take a minute
  EXPECT_GE(after.cycle, 4U);
  EXPECT_GT(sum_of(after.series, kDispatched), sum_of(before, kDispatched));
}

// Plain StatsD: NAME.LABEL.LABEL:DELTA|c
double sum_of_counts(const std::string& lines, const std::string& name) {
  double sum = 0;
  for (auto at = lines.find("\n" + name + "."); at != std::string::npos;
       at = lines.find("\n" + name + ".", at + 1))
    sum += std::stod(lines.substr(lines.find(':', at) + 1));
  return sum;
}

TEST_F(Reload, ABackendThatIsSwitchedOnTellsWhatIsCountedFromThereOn) {
  const Fd agent = stats::test::bind_inet(SOCK_DGRAM, 0);
  ASSERT_TRUE(agent.valid());
  std::string lines = "\n";
  stats::test::PacketReceiver receiver(Fd(::dup(agent.get())),
                                       [&lines](const std::string& packet) { lines += packet + "\n"; });
  // There is no cycle but the first one and that of the reload, so that it is known what lies in between.
  start("cycle: 1m\n");
  const double before = sum_of(daemon_->stats().series, kDispatched);
  change("cycle: 1m\nstatsd: {enabled: true, address: 'udp://127.0.0.1:" +
         std::to_string(stats::test::port_of(agent)) + "'}\n");
  const double after = sum_of(daemon_->stats().series, kDispatched);
  EXPECT_GT(after, before);
  double told = 0;
  EXPECT_TRUE(eventually([&] {
    receiver.drain();
    return (told = sum_of_counts(lines, kDispatched)) >= after - before;
  }));
  EXPECT_EQ(told, after - before);
  EXPECT_TRUE(daemon_->component("statsd")->up);
}

TEST_F(Reload, AWrongFileChangesNothing) {
  const std::uint16_t port = free_port();
  start("cycle: 50ms\n" + prometheus_at(port));
  const SeriesMap before = parse_prometheus_text(get_tcp(port, "/metrics").body).counters;
  change("cycle: fast\n", "the configuration stays as it was");
  const std::string said = daemon_->err();
  for (const char* part : {"flowtap.yaml:1: cycle: \"fast\" is not a duration; accepted: ", "hint: "})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_EQ(cycle_seconds(), 0.05);
  const auto count = daemon_->settled_stats();
  EXPECT_EQ(went_back(before, parse_prometheus_text(get_tcp(port, "/metrics").body).counters), "");
  // The next right file is taken.
  change("cycle: 60ms\n" + prometheus_at(port));
  EXPECT_EQ(cycle_seconds(), 0.06);
  EXPECT_EQ(went_back(before, parse_prometheus_text(get_tcp(port, "/metrics").body).counters), "");
}

TEST_F(Reload, TheExporterMovesAndComesAndGoes) {
  const std::uint16_t one = free_port();
  start("cycle: 50ms\n");
  EXPECT_EQ(get_tcp(one, "/metrics").status, 0);
  change("cycle: 50ms\n" + prometheus_at(one));
  EXPECT_EQ(get_tcp(one, "/metrics").status, 200);
  const SeriesMap before = parse_prometheus_text(get_tcp(one, "/metrics").body).counters;
  const std::uint16_t two = free_port();
  change("cycle: 50ms\n" + prometheus_at(two));
  EXPECT_EQ(get_tcp(one, "/metrics").status, 0);
  // The totals stay with the service, not with the exporter. (Those of its scrapes, and of prometheus-cpp, do not.)
  const SeriesMap after = parse_prometheus_text(get_tcp(two, "/metrics").body).counters;
  EXPECT_GE(sum_of(after, kDispatched), sum_of(before, kDispatched));
  change("cycle: 50ms\n");
  EXPECT_EQ(get_tcp(two, "/metrics").status, 0);
  EXPECT_FALSE(daemon_->component("prometheus"));
}

TEST_F(Reload, APortThatWasTakenIsTriedAgain) {
  Fd other = stats::test::bind_inet(SOCK_STREAM, 0);
  ASSERT_TRUE(other.valid() && ::listen(other.get(), 1) == 0);
  const auto port = static_cast<std::uint16_t>(stats::test::port_of(other));
  const std::string config = "cycle: 50ms\n" + prometheus_at(port);
  start(config);
  EXPECT_FALSE(daemon_->component("prometheus")->up);
  other.reset();
  change(config);
  EXPECT_TRUE(daemon_->component("prometheus")->up) << daemon_->component("prometheus")->detail;
  EXPECT_EQ(get_tcp(port, "/metrics").status, 200);
}

// Something is refused after SIGHUP for want of a right that the same configuration has at a start.
class GivenUpRights : public Reload {
 protected:
  void expect_refused_then_started(const std::string& backend, const std::string& config,
                                   const std::function<void()>& surroundings) {
    start("cycle: 20ms\n", surroundings);
    change("cycle: 20ms\n" + config);
    ASSERT_TRUE(eventually([&] {
      const auto now = daemon_->component(backend);
      return now && !now->up;
    })) << daemon_->err();
    const auto refused = daemon_->component(backend);
    EXPECT_NE(refused->detail.find("Permission denied"), std::string::npos) << refused->detail;
    EXPECT_NE(refused->hint.find("started without " + backend), std::string::npos) << refused->hint;
    EXPECT_NE(refused->hint.find("restart it"), std::string::npos) << refused->hint;
    EXPECT_EQ(refused->detail.find('\n'), std::string::npos) << "more than one sentence";
    daemon_->signal(SIGTERM);
    ASSERT_EQ(daemon_->wait(), 0);

    start("cycle: 20ms\n" + config, surroundings);
    const auto started = daemon_->component(backend);
    EXPECT_TRUE(started->up) << started->detail;
    EXPECT_EQ(started->hint, "");
  }
};

TEST_F(GivenUpRights, ToALowPort) {
  expect_refused_then_started("prometheus", prometheus_at(9), in_own_network());
}

TEST_F(GivenUpRights, ToAnotherUsersSocket) {
  constexpr uid_t kNobody = 65534;
  const Fd agent = stats::test::bind_unix(SOCK_DGRAM, root_.file("agent"));
  ASSERT_TRUE(agent.valid());
  ASSERT_EQ(::chmod(root_.file("agent").c_str(), 0600), 0);
  ASSERT_EQ(::chown(root_.file("agent").c_str(), kNobody, kNobody), 0);
  expect_refused_then_started("statsd",
                              "statsd: {enabled: true, address: 'unix://" + root_.file("agent") + "'}\n", {});
  std::array<char, 1> any{};
  ASSERT_TRUE(eventually([&] { return ::recv(agent.get(), any.data(), any.size(), MSG_DONTWAIT) > 0; }));
  EXPECT_TRUE(daemon_->component("statsd")->up) << daemon_->component("statsd")->detail;
}

// The hint is for refusals only.
TEST_F(GivenUpRights, AreNotBlamedForAnAgentThatIsAway) {
  start("cycle: 20ms\n");
  change("cycle: 20ms\nstatsd: {enabled: true, address: 'unix://" + root_.file("nobody") + "'}\n");
  ASSERT_TRUE(eventually([&] { return !daemon_->component("statsd")->up; }));
  EXPECT_EQ(daemon_->component("statsd")->hint, "start the receiver");
}

TEST_F(Reload, CountingGoesOffAndOn) {
  start("cycle: 20ms\n");
  change("cycle: 20ms\ncount: {enabled: false}\n");
  EXPECT_FALSE(daemon_->component("count"));
  const SeriesMap before = daemon_->settled_stats().series;
  const double off = sum_of(before, kDispatched);
  EXPECT_GT(off, 0) << "the totals have gone, so that rates would begin at 0 again";
  EXPECT_EQ(sum_of(daemon_->settled_stats().series, kDispatched), off);
  change("cycle: 20ms\n");
  EXPECT_TRUE(daemon_->component("count")->up) << daemon_->component("count")->detail;
  EXPECT_TRUE(eventually([&] { return sum_of(daemon_->stats().series, kDispatched) > off; }));
}

}  // namespace
}  // namespace flowtap::test
