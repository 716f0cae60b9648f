// A node with 3,000 pods: measures how much memory flowtapd keeps for them, and how long it takes to read one pod's
// 1,000 lines while a thousand such reads come each second.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <thread>

#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "http/client/client.hpp"
#include "tools/bench/load/line_pipe.hpp"
#include "tools/bench/load/pods.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/flowtapd.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPods = 3'000;
constexpr std::uint64_t kLines = 1'000;
constexpr auto kSpread = 60s;
constexpr std::size_t kReaders = 4;
constexpr std::size_t kPerSecond = 1'000;
constexpr auto kReading = 10s;
// 3,000 logs of 140 kB must fit.
constexpr const char* kConfig = "flows_bytes: 536870912";

struct Read {
  std::vector<double> ms;
  std::uint64_t failed = 0;
};

// Reads at fixed times, so that a late read makes the next ones late in the figures, too.
Read read_some(const Flowtapd& daemon, const std::vector<std::string>& ids, std::size_t reader) {
  Read read;
  std::mt19937 random(static_cast<unsigned>(reader));
  const auto begin = std::chrono::steady_clock::now();
  const auto pause = std::chrono::nanoseconds(1s) * kReaders / kPerSecond;
  for (auto due = begin + pause * reader / kReaders; due < begin + kReading; due += pause) {
    std::this_thread::sleep_until(due);
    const std::string& id = ids[random() % ids.size()];
    const auto body = daemon.get(fmt::format("{}/{}/log", api::kFlowsPath, api::percent_encode(id)));
    if (!body || body->size() != kLines * kLine) ++read.failed;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - due;
    read.ms.push_back(took.count());
  }
  return read;
}

Status run() {
  const test::ScratchRoot root;
  Flowtapd daemon(root, kConfig);
  FTAP_TRY(daemon.wait_ready());
  print_section(fmt::format("{} pods with a log of {} lines of {} B each", kPods, kLines, kLine));
  FTAP_TRY_ASSIGN(pods, Pods::start(kPods, {.lines = kLines, .ticking = false}, kSpread));
  FlowTotals totals;
  constexpr std::uint64_t kAll = kPods * kLines;
  const bool all = test::eventually([&] {
    if (const auto now = daemon.totals(PodCgroups::kIdStart)) totals = *now;
    return totals.lines == kAll;
  });
  print_row("lines in flows", fmt::format("{} of {}", totals.lines, kAll), "lines", "all");
  if (!all || totals.flows != kPods || totals.missing != 0)
    return fail(fmt::format("flowtapd has {} flows with {} lines, {} bytes missing", totals.flows,
                            totals.lines, totals.missing));
  std::this_thread::sleep_for(3s);  // until all lines are in their files
  FTAP_TRY_ASSIGN(anonymous, anonymous_mib(daemon.pid()));
  Rounds memory;
  memory.add(anonymous);
  print_row("flowtapd", memory, "MiB RssAnon", "96");

  FTAP_TRY_ASSIGN(ids, daemon.ids(PodCgroups::kIdStart));
  FTAP_TRY_ASSIGN(before, process_cpu_ns(daemon.pid()));
  std::vector<Read> reads(kReaders);
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < kReaders; ++i)
    readers.emplace_back([&, i] { reads[i] = read_some(daemon, ids, i); });
  for (std::thread& reader : readers) reader.join();
  FTAP_TRY_ASSIGN(after, process_cpu_ns(daemon.pid()));
  Read read;
  for (const Read& some : reads) {
    read.ms.insert(read.ms.end(), some.ms.begin(), some.ms.end());
    read.failed += some.failed;
  }
  std::ranges::sort(read.ms);
  const auto row = [&](const char* what, double part, const char* goal) {
    Rounds ms;
    ms.add(read.ms[static_cast<std::size_t>(static_cast<double>(read.ms.size() - 1) * part)]);
    print_row(what, ms, "ms", goal);
  };
  row(fmt::format("a read of one of them, at {} a second, p50", kPerSecond).c_str(), 0.5, "1");
  row("- p95", 0.95, "3");
  Rounds cpu;
  cpu.add((after - before) / 1e3 / static_cast<double>(read.ms.size()));
  print_row("- flowtapd", cpu, "µs of CPU per read");
  print_row("- failed", fmt::format("{} of {}", read.failed, read.ms.size()), "reads", "0");
  FTAP_TRY_ASSIGN(then, anonymous_mib(daemon.pid()));
  Rounds memory_then;
  memory_then.add(then);
  print_row("flowtapd, after these reads", memory_then, "MiB RssAnon", "96");
  return read.failed == 0 ? Status{} : fail("reads failed");
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  flowtap::bench::Pods::be_one(argc, argv);
  try {
    return flowtap::bench::finish(flowtap::bench::run());
  } catch (const std::exception& e) {
    return flowtap::bench::finish(flowtap::fail(e.what()));
  }
}
