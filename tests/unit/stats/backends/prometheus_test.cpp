#include "stats/backends/prometheus.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>

#include "stats/backends/sending/connect.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics/snapshots.hpp"
#include "tests/support/net/http_get.hpp"

namespace flowtap::stats {
namespace {

using flowtap::test::http_get;
using test::SnapshotScript;
using testing::HasSubstr;

double value_of(const std::string& page, const std::string& series) {
  const auto at = page.find("\n" + series + " ");
  return at == std::string::npos ? -1 : std::strtod(page.c_str() + at + series.size() + 2, nullptr);
}

TEST(Prometheus, ShowsTheNewestSnapshot) {
  auto backend = Prometheus::open("127.0.0.1:0");
  ASSERT_TRUE(backend);
  HistogramValue latency;
  latency.counts[0] = 2;
  latency.counts.back() = 1;
  latency.sum = 20.5;
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 12);
  script.dispatched(StatId::kQUEUED, 0);
  script.set(StatId::kLATENCY, {"kernel"}, latency);
  script.set(StatId::kPROCESS_THREADS, {}, std::uint64_t{9});
  script.set(StatId::kREAD_ERRORS, {"a\"b\\c\nd"}, std::uint64_t{1});
  ASSERT_TRUE((*backend)->publish(script.next()));
  const std::string page = http_get((*backend)->port(), "/metrics");
  EXPECT_THAT(page, HasSubstr("200 OK"));
  EXPECT_THAT(page, HasSubstr("# TYPE dispatched_tasks_total counter\n"));
  EXPECT_THAT(page, HasSubstr("# HELP dispatched_tasks_total Tasks that"));
  EXPECT_EQ(value_of(page, R"(dispatched_tasks_total{scheduler="kernel",type="wsync"})"), 12);
  EXPECT_EQ(value_of(page, R"(dispatched_tasks_total{scheduler="kernel",type="queued"})"), 0);
  EXPECT_EQ(value_of(page, R"(flowtap_run_queue_latency_seconds_count{scheduler="kernel"})"), 3);
  EXPECT_EQ(value_of(page, R"(flowtap_run_queue_latency_seconds_sum{scheduler="kernel"})"), 20.5);
  EXPECT_EQ(value_of(page, R"(flowtap_run_queue_latency_seconds_bucket{scheduler="kernel",le="+Inf"})"), 3);
  EXPECT_THAT(page, HasSubstr("# TYPE process_threads gauge\nprocess_threads 9"));
  EXPECT_THAT(page, HasSubstr(R"(what="a\"b\\c\nd")"));
  EXPECT_THAT(http_get((*backend)->port(), "/other"), HasSubstr("404"));
}

// The names of other exporters need earlier snapshots. These are there even if nobody scraped meanwhile.
TEST(Prometheus, APodsCounterUnderKeplersNameDoesNotFall) {
  auto backend = Prometheus::open("127.0.0.1:0", {compat::Exporter::kKEPLER});
  ASSERT_TRUE(backend);
  const std::vector<std::string> init{"pod", "shop", "web-0", "init", "web"};
  SnapshotScript script;
  script.set(StatId::kWORKLOAD_ENERGY, init, 100.0);
  script.set(StatId::kWORKLOAD_ENERGY, {"pod", "shop", "web-0", "app", "web"}, 2.0);
  ASSERT_TRUE((*backend)->publish(script.next()));
  script.absent(StatId::kWORKLOAD_ENERGY, init);
  ASSERT_TRUE((*backend)->publish(script.next()));
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const std::string pod =
      std::string(R"(kepler_pod_cpu_joules_total{pod_name="web-0",pod_namespace="shop",)") +
      R"(state="running",zone="node",node_name=")" + host.data() + R"("})";
  EXPECT_EQ(value_of(http_get((*backend)->port(), "/metrics"), pod), 102);
}

class ScriptedPage : public compat::PageSource {
 public:
  compat::Page read() override {
    ++reads;
    compat::Page page;
    page.add("node_uname_info", compat::PageKind::kGauge, "Names.", {{"nodename", "n\"1"}}, 1);
    page.add("node_netstat_Tcp_InSegs", compat::PageKind::kUntyped, "Segments.", {}, 7);
    page.add("node_load1", compat::PageKind::kGauge, "Somebody's text file.", {}, 99);
    return page;
  }
  std::atomic<int> reads = 0;
};

TEST(Prometheus, WhatNodeExporterReadsBesideUsIsReadAtTheScrape) {
  const auto node = std::make_shared<ScriptedPage>();
  auto backend = Prometheus::open("127.0.0.1:0", {compat::Exporter::kNODE}, node);
  ASSERT_TRUE(backend);
  SnapshotScript script;
  script.set(StatId::kNODE_LOAD1, {}, 1.5);
  ASSERT_TRUE((*backend)->publish(script.next()));
  EXPECT_EQ(value_of(http_get((*backend)->port(), "/metrics"), "node_netstat_Tcp_InSegs"), -1);
  EXPECT_EQ(node->reads, 0) << "the telemetry is off";

  Snapshot measured = *script.next();
  measured.measured = measured.steady;
  ASSERT_TRUE((*backend)->publish(std::make_shared<const Snapshot>(measured)));
  EXPECT_EQ(node->reads, 0) << "nobody has asked";
  const std::string page = http_get((*backend)->port(), "/metrics");
  EXPECT_EQ(node->reads, 1);
  EXPECT_EQ(value_of(page, R"(node_uname_info{nodename="n\"1"})"), 1);
  EXPECT_EQ(value_of(page, "node_netstat_Tcp_InSegs"), 7);
  EXPECT_THAT(page, HasSubstr("# TYPE node_netstat_Tcp_InSegs untyped\n"));
  EXPECT_EQ(value_of(page, "node_load1"), 1.5) << "a name stands once";
  EXPECT_EQ(page.find("# TYPE node_load1 "), page.rfind("# TYPE node_load1 "));
  EXPECT_EQ(value_of(page, R"(node_scrape_collector_success{collector="loadavg"})"), 1);
}

TEST(Prometheus, ThePortOfAnotherIsSaid) {
  auto first = Prometheus::open("127.0.0.1:0");
  ASSERT_TRUE(first);
  const auto second = Prometheus::open("127.0.0.1:" + std::to_string((*first)->port()));
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().what, HasSubstr("cannot listen at 127.0.0.1:"));
  EXPECT_THAT(second.error().what, HasSubstr("in use"));
  EXPECT_THAT(second.error().hint, HasSubstr("ss -ltnp"));
  EXPECT_THAT(Prometheus::open("192.0.2.1:9000").error().hint, HasSubstr("0.0.0.0"));
  EXPECT_FALSE(Prometheus::open("nonsense"));
}

TEST(Prometheus, ThePortIsFreeAgainAfterwards) {
  int port = 0;
  for (int i = 0; i < 3; ++i) {
    auto backend = Prometheus::open("127.0.0.1:" + std::to_string(port));
    ASSERT_TRUE(backend) << backend.error().what;
    port = (*backend)->port();
    ASSERT_TRUE((*backend)->publish(SnapshotScript().next()));
    EXPECT_THAT(http_get(port, "/metrics"), HasSubstr("200 OK"));
  }
}

// An Outlet would leave behind a server that waits for its client's time-out, and the daemon would end anyway.
TEST(Prometheus, EndsThoughAScraperHoldsItsConnection) {
  auto backend = Prometheus::open("127.0.0.1:0");
  ASSERT_TRUE(backend);
  const auto port = static_cast<std::uint16_t>((*backend)->port());
  ASSERT_TRUE((*backend)->publish(SnapshotScript().next()));
  const auto held =
      connect_socket({.kind = AddressKind::kTcp, .host = "127.0.0.1", .port = port, .path = {}});
  ASSERT_TRUE(held) << held.error().what;
  ASSERT_EQ(::send(held->get(), "GET /met", 8, MSG_NOSIGNAL), 8);  // and no more
  EXPECT_THAT(http_get(port, "/metrics"), HasSubstr("200 OK")) << "whoever came before has a thread now";
  backend->reset();
  std::array<char, 65> answer{};
  EXPECT_EQ(::recv(held->get(), answer.data(), answer.size() - 1, 0), 0)
      << "to one whose time was up it says \"" << answer.data() << "\"";
}

TEST(Prometheus, ScrapesAreTimed) {
  std::function<HistogramValue()> durations;
  {
    auto backend = Prometheus::open("127.0.0.1:0");
    ASSERT_TRUE(backend);
    durations = (*backend)->scrape_durations();
    ASSERT_TRUE((*backend)->publish(SnapshotScript().next()));
    (void)http_get((*backend)->port(), "/metrics");
    (void)http_get((*backend)->port(), "/metrics");
  }
  const HistogramValue value = durations();  // also when the backend is gone
  EXPECT_EQ(std::accumulate(value.counts.begin(), value.counts.end(), std::uint64_t{0}), 2U);
  EXPECT_GT(value.sum, 0);
}

int port_of(const Fd& socket) {
  sockaddr_in at{};
  socklen_t size = sizeof(at);
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
  return ntohs(at.sin_port);
}

// Whether the server's end of this connection is there, and all that the client has sent was read from it.
bool is_read(int server, int client) {
  std::ifstream connections("/proc/net/tcp");
  constexpr std::string_view kEstablished = "01";
  for (std::string line; std::getline(connections, line);) {
    std::string number, local, remote, state, queues;
    std::istringstream(line) >> number >> local >> remote >> state >> queues;
    if (state == kEstablished && local.ends_with(fmt::format(":{:04X}", server)) &&
        remote.ends_with(fmt::format(":{:04X}", client)))
      return queues.ends_with(":00000000");
  }
  return false;
}

TEST(Prometheus, AScrapeBeforeTheFirstCycleWaitsForIt) {
  auto backend = Prometheus::open("127.0.0.1:0");
  ASSERT_TRUE(backend);
  const auto port = static_cast<std::uint16_t>((*backend)->port());
  const auto scrape =
      connect_socket({.kind = AddressKind::kTcp, .host = "127.0.0.1", .port = port, .path = {}});
  ASSERT_TRUE(scrape) << scrape.error().what;
  constexpr std::string_view kRequest = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(::send(scrape->get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(kRequest.size()));
  // What was sent on this machine is in the server's queue until it is read, so the server has the request now.
  ASSERT_TRUE(flowtap::test::eventually([&] { return is_read(port, port_of(*scrape)); }));
  constexpr int kAnswersWithinMs = 300;  // one that does not wait
  pollfd answered{scrape->get(), POLLIN, 0};
  EXPECT_EQ(::poll(&answered, 1, kAnswersWithinMs), 0) << "it has answered before there was anything to tell";
  SnapshotScript script;
  script.dispatched(StatId::kWSYNC, 0);
  ASSERT_TRUE((*backend)->publish(script.next()));
  std::string page;
  std::array<char, 4096> chunk{};
  constexpr int kPatienceMs = 60'000;
  while (::poll(&answered, 1, kPatienceMs) == 1) {
    const ssize_t n = ::recv(scrape->get(), chunk.data(), chunk.size(), 0);
    if (n <= 0) break;
    page.append(chunk.data(), static_cast<std::size_t>(n));
  }
  EXPECT_THAT(page, testing::StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(value_of(page, R"(dispatched_tasks_total{scheduler="kernel",type="wsync"})"), 0);
}

TEST(Prometheus, CountersNeverGoBackAndOneScrapeIsOneInstant) {
  auto backend = Prometheus::open("127.0.0.1:0");
  ASSERT_TRUE(backend);
  const int port = (*backend)->port();
  SnapshotScript script;
  const auto publish = [&](std::uint64_t n) {
    script.dispatched(StatId::kWSYNC, n);
    script.dispatched(StatId::kQUEUED, 2 * n);
    ASSERT_TRUE((*backend)->publish(script.next()));
  };
  publish(0);
  std::atomic<int> scrapes{0};
  std::vector<std::jthread> scrapers;
  for (int t = 0; t < 6; ++t)
    scrapers.emplace_back([&](const std::stop_token& stop) {
      double before = 0;
      while (!stop.stop_requested()) {
        const std::string page = http_get(port, "/metrics");
        const double wsync = value_of(page, R"(dispatched_tasks_total{scheduler="kernel",type="wsync"})");
        EXPECT_GE(wsync, before);
        EXPECT_EQ(value_of(page, R"(dispatched_tasks_total{scheduler="kernel",type="queued"})"), 2 * wsync);
        before = wsync;
        ++scrapes;
      }
    });
  for (std::uint64_t n = 1; scrapes < 300; ++n) publish(n);
}

}  // namespace
}  // namespace flowtap::stats
