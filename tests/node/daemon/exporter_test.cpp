// /metrics, as Prometheus, promtool and curl see them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/node/daemon/dispatched.hpp"
#include "tests/node/daemon/switching.hpp"
#include "tests/support/daemon/daemon.hpp"
#include "tests/support/metrics/prometheus_server.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

constexpr int kPages = 40;  // that each scraper gets

// The types are spelled out here, because dashboards do so too: a type that is renamed or left out breaks them.
constexpr std::array kTypes = {
    "new",          "preempted",       "pulled_llc", "pulled_node", "pulled_xnuma", "pinned",
    "wsync",        "wsync_prev_idle", "prev_idle",  "idle_llc",    "idle_node",    "idle_xnuma",
    "wake_preempt", "queued",          "queued_llc", "queued_node", "queued_xnuma", "unobserved"};

std::size_t dispatched_series(const SeriesMap& series) {
  std::size_t n = 0;
  for (const auto& [key, value] : series) n += key.starts_with(std::string(kDispatched) + "{") ? 1 : 0;
  return n;
}

TEST(Exporter, TheVeryFirstScrapeShowsEveryLabelValue) {
  const ScratchRoot root;
  const Daemon daemon(root);
  HttpAnswer first;
  ASSERT_TRUE(eventually([&] { return (first = get_tcp(daemon.port(), "/metrics")).status == 200; }))
      << daemon.err();
  const PromPage page = parse_prometheus_text(first.body);
  for (const char* type : kTypes) EXPECT_TRUE(page.counters.contains(dispatched(type))) << type;
  EXPECT_EQ(dispatched_series(page.all), kTypes.size());
  EXPECT_TRUE(page.all.contains(series_key("flowtap_bpf_errors_total", {{"cause", "task_storage"}})));
  for (const char* what : {"bpf_program", "process", "task_records", "topology"})
    EXPECT_TRUE(page.all.contains(series_key("flowtap_read_errors_total", {{"what", what}}))) << what;
  for (const char* component : {"api", "count", "prometheus"})
    EXPECT_EQ(page.all.at(series_key("flowtap_component_up", {{"component", component}})), 1) << component;
}

// Scrapes as fast as it is answered, and compares each page with its last one.
class Scraper {
 public:
  Scraper(std::function<std::string()> get, int pages)
      : thread_([this, get = std::move(get), pages] {
          for (int i = 0; i < pages && wrong_.empty(); ++i) look(get());
        }) {}

  void join() { thread_.join(); }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] double growth() const { return sum_of(last_, kDispatched) - sum_of(first_, kDispatched); }

 private:
  void look(const std::string& text) {
    try {
      SeriesMap now = parse_prometheus_text(text).counters;
      if (dispatched_series(now) != kTypes.size()) wrong_ = "a type is missing";
      if (first_.empty()) first_ = now;
      if (wrong_.empty()) wrong_ = went_back(last_, now);
      last_ = std::move(now);
    } catch (const std::exception& error) {
      wrong_ = error.what();
    }
  }

  SeriesMap first_;
  SeriesMap last_;
  std::string wrong_;
  std::jthread thread_;
};

// Asks as people do it, compression included. Empty if curl fails.
std::string curl(std::uint16_t port) {
  const std::string command =
      "exec curl -sS --fail --max-time 30 --compressed http://127.0.0.1:" + std::to_string(port) + "/metrics";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "re"), ::pclose);
  std::string page;
  std::array<char, 65536> chunk{};
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe.get()))
    page.append(chunk.data(), n);
  return page;
}

// What Prometheus has stored lies, series by series, between what we served before and what we serve now.
void expect_stored_between(const PrometheusServer& prometheus, const SeriesMap& before,
                           const Daemon& daemon) {
  const auto all = prometheus.stored(kDispatched);
  const SeriesMap after = daemon.scrape().all;
  EXPECT_EQ(all.size(), kTypes.size());
  for (const StoredSeries& series : all) {
    SCOPED_TRACE(series.key);
    EXPECT_GE(series.values.size(), 5U);
    EXPECT_TRUE(std::ranges::is_sorted(series.values)) << testing::PrintToString(series.values);
    EXPECT_GE(series.values.front(), before.at(series.key));
    EXPECT_LE(series.values.back(), after.at(series.key));
    EXPECT_EQ(series.times, all.front().times) << "all series of one scrape are there";
  }
}

TEST(Exporter, CountersNeverGoBackUnderConcurrentScrapes) {
  const ScratchRoot root;
  // The cycle is short, so that the totals change while they are scraped. Devices and workloads of the machine may go meanwhile,
  // and their counters with them.
  Daemon daemon(root, {.flags = {"--cycle", "5ms"}, .config = "telemetry: {enabled: false}\n"});
  const SeriesMap before = daemon.wait_ready().scrape().all;
  const PrometheusServer prometheus(root, daemon.port());
  Crew load([](Hands& hands) { ping_pong(hands, kForEver); });
  load.go();

  std::vector<std::unique_ptr<Scraper>> scrapers;
  scrapers.reserve(4);
  for (int i = 0; i < 3; ++i)
    scrapers.push_back(
        std::make_unique<Scraper>([port = daemon.port()] { return get_tcp(port, "/metrics").body; }, kPages));
  scrapers.push_back(std::make_unique<Scraper>([port = daemon.port()] { return curl(port); }, kPages));
  for (const auto& scraper : scrapers) {
    scraper->join();
    EXPECT_EQ(scraper->wrong(), "");
    EXPECT_GT(scraper->growth(), 0);
  }

  ASSERT_TRUE(eventually([&prometheus] {
    const auto up = prometheus.stored("up");
    return up.size() == 1 && up.front().values.size() >= 5;
  })) << root.read("prometheus.err");
  EXPECT_THAT(prometheus.stored("up").front().values, testing::Each(1.0));
  expect_stored_between(prometheus, before, daemon);
}

TEST(Exporter, PromtoolHasNothingToSay) {
  const ScratchRoot root;
  Daemon daemon(root);
  daemon.wait_ready();
  std::string ours;
  std::istringstream page(daemon.metrics());
  for (std::string line; std::getline(page, line);)
    if (line.find("exposer_") == std::string::npos) ours += line + "\n";  // prometheus-cpp's own
  const Verdict verdict = check_metrics(root, ours);
  EXPECT_EQ(verdict.status, 0);
  EXPECT_EQ(verdict.said, "");
}

// The JSON library reads the same digits as a number that differs in its last bits.
bool is_same(double read, double from_json) {
  return std::abs(read - from_json) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(read);
}

TEST(Exporter, MetricsAndStatsAreOneSnapshot) {
  const ScratchRoot root;
  // On a busy machine three requests may take longer than a second.
  Daemon daemon(root, {.flags = {"--cycle", "5s"}});
  daemon.wait_ready();
  // A page between two answers of the API from one cycle is of the same cycle, or of the one before until that cycle has been
  // handed over. So not every try meets the cycle, but nearly every one does.
  std::string differ = "no page was of the cycle";
  const bool met = eventually([&] {
    const Stats first = daemon.stats();
    const SeriesMap page = daemon.scrape().all;
    if (daemon.stats().cycle != first.cycle) return false;
    EXPECT_EQ(went_back(page, first.series).find(kDispatched), std::string::npos)
        << "a page is never newer than the API";
    differ.clear();
    for (const auto& [key, value] : first.series) {
      const auto same = page.find(key);
      if (same == page.end() || !is_same(same->second, value))
        differ += fmt::format("{}: {}, not {}\n", key,
                              same == page.end() ? "absent" : fmt::to_string(same->second), value);
    }
    return differ.empty();
  });
  EXPECT_TRUE(met)
      << "never was every series of /api/v1/stats in /metrics with the same value; the last time:\n"
      << differ;
}

}  // namespace
}  // namespace flowtap::test
