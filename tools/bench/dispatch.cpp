// What the whole dispatch path adds to a context switch.
//
//   bench_dispatch OBJECT [OBJECT...]     builds of bpf/dispatch.bpf.c; the first is the product's
//
// The first is measured in three ways: without and with the usage of each cgroup, and with the cycles of each on top.
// The others are measured with the usage, as flowtapd runs them.
//
// Once by the kernel's clock: the run time of all its programs minus that of empty ones on the same tracepoints,
// attached beside them, per run of the sched_switch program. Once end to end: a round of ping-pong with and without the
// programs.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/core.h>
#include <linux/bpf.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/fd.hpp"
#include "kernel/dispatch/cycle_counters.hpp"
#include "kernel/program_stats.hpp"
#include "kernel/requirements.hpp"
#include "tools/bench/load/loads.hpp"
#include "tools/bench/measure/empties.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/tap.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 11;
// The end-to-end figure includes other work of the machine, so there are many short rounds, each next to a bare one of
// its own.
constexpr int kShortRounds = 41;
constexpr int kShorter = 4;
constexpr std::string_view kSwitch = "tp_btf/sched_switch";
constexpr std::uint32_t kCgroups = 2048;  // flowtapd's default

struct Load {
  const char* what;
  int second_cpu;
  int rounds;
  int switches;  ///< per round, if nothing disturbs it
};
constexpr std::array kLoads{
    Load{"both on one CPU", 0, 30'000, 2},
    Load{"one on each of two CPUs", 1, 8'000, 4},
};

Result<Cost> play(const Load& load, int shorter = 1) {
  return ping_pong(load.rounds / shorter, 0, load.second_cpu);
}

struct RunTime {
  double runs = 0;
  double ns = 0;
};
using RunTimes = std::map<std::string, RunTime>;  // by event

Result<RunTimes> read(const std::vector<Tap::Program>& programs) {
  RunTimes times;
  for (const auto& [event, fd] : programs) {
    FTAP_TRY_ASSIGN(stats, kernel::read_program_stats(event, fd, true));
    times[event].runs += static_cast<double>(*stats.runs);
    times[event].ns += static_cast<double>(*stats.run_nanoseconds);
  }
  return times;
}

struct Build {
  std::string name;
  Tap tap;
};

// Per event: ns per run more than an empty program, and how often the event occurs per switch. "" is the sum per
// switch.
struct Figures {
  std::map<std::string, Rounds> ns;
  std::map<std::string, Rounds> per_switch;
};

void add_round(Figures& figures, const RunTimes& before, const RunTimes& after, const RunTimes& empty_before,
               const RunTimes& empty_after) {
  const auto mean = [](const RunTime& from, const RunTime& to) {
    return to.runs > from.runs ? (to.ns - from.ns) / (to.runs - from.runs) : 0.0;
  };
  const std::string by(kSwitch);
  // A build under test may use an event that the product does not use; being called costs the same on each.
  const auto of = [&by](const RunTimes& times, const std::string& event) {
    const auto at = times.find(event);
    return at != times.end() ? at->second : times.at(by);
  };
  const double switches = after.at(by).runs - before.at(by).runs;
  double sum = 0;
  for (const auto& [event, from] : before) {
    const double runs = after.at(event).runs - from.runs;
    if (runs == 0) continue;
    const double over = mean(from, after.at(event)) - mean(of(empty_before, event), of(empty_after, event));
    figures.ns[event].add(over);
    figures.per_switch[event].add(runs / switches);
    sum += over * runs / switches;
  }
  figures.ns[""].add(sum);
}

Status by_run_time(std::vector<Build>& builds, Empties& empties, const Load& load) {
  const Fd stats_on(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!stats_on.valid()) return fail_errno(errno, "cannot make the kernel time BPF programs");
  std::map<std::string, Figures> figures;
  for (std::size_t round = 0; round < kRounds; ++round) {
    // The order changes, because the first one that touches a task's record pays for fetching its memory.
    FTAP_TRY(empties.attach());
    for (std::size_t i = 0; i < builds.size(); ++i)
      FTAP_TRY(builds[(i + round) % builds.size()].tap.attach());
    FTAP_TRY_ASSIGN(empty_before, read(empties.programs()));
    std::map<std::string, RunTimes> before;
    for (const auto& [name, tap] : builds) {
      FTAP_TRY_ASSIGN(times, read(tap.programs()));
      before[name] = std::move(times);
    }
    FTAP_TRY(play(load));
    FTAP_TRY_ASSIGN(empty_after, read(empties.programs()));
    for (const auto& [name, tap] : builds) {
      FTAP_TRY_ASSIGN(after, read(tap.programs()));
      add_round(figures[name], before[name], after, empty_before, empty_after);
    }
    for (Build& build : builds) build.tap.detach();
    empties.detach();
  }
  for (const auto& [name, tap] : builds) {
    Figures& f = figures[name];
    print_row(fmt::format("{}, whole path, {}", name, load.what), f.ns[""], "ns per switch over empty",
              "100");
    for (const auto& [event, ns] : f.ns)
      if (!event.empty() && f.per_switch[event].median() >= 0.01)
        print_row(fmt::format("- {} ({:.2f} per switch)", event.substr(event.find('/') + 1),
                              f.per_switch[event].median()),
                  ns, "ns per run over empty");
  }
  return {};
}

// The cost of one mode: nothing attached, the empty programs, or a build.
struct Mode {
  std::string name;
  Rounds wall;
  Rounds cpu;
  Rounds added;  ///< CPU time compared with nothing attached in the same round
};

Status end_to_end(std::vector<Build>& builds, Empties& empties, const Load& load) {
  const double switches = static_cast<double>(load.rounds) / kShorter * load.switches;
  std::vector<Mode> modes(2 + builds.size());
  modes[0].name = "nothing attached";
  modes[1].name = "empty programs";
  for (std::size_t i = 0; i < builds.size(); ++i) modes[2 + i].name = builds[i].name;
  for (int round = 0; round < kShortRounds; ++round) {
    double bare = 0;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (i == 1) FTAP_TRY(empties.attach());
      if (i >= 2) FTAP_TRY(builds[i - 2].tap.attach());
      FTAP_TRY_ASSIGN(cost, play(load, kShorter));
      if (i == 1) empties.detach();
      if (i >= 2) builds[i - 2].tap.detach();
      if (i == 0) bare = cost.cpu_ns;
      modes[i].wall.add(cost.wall_ns / switches);
      modes[i].cpu.add(cost.cpu_ns / switches);
      modes[i].added.add((cost.cpu_ns - bare) / switches);
    }
  }
  for (const Mode& mode : modes) {
    const std::string what = fmt::format("{}, {}", mode.name, load.what);
    print_row(what, mode.wall, "ns of wall per switch");
    print_row(what, mode.cpu, "ns of CPU per switch");
    if (&mode != &modes.front())
      print_row("- added", fmt::format("{:+.0f}", mode.added.median()), "ns of CPU per switch");
  }
  return {};
}

Status run(const std::vector<std::string>& objects) {
  FTAP_TRY(kernel::check_bpf_requirements());
  FTAP_TRY_ASSIGN(topology, kernel::read_topology("/sys"));
  FTAP_TRY_ASSIGN(empties, Empties::load());
  // Not every machine allows its cycles to be counted. Reading this counter is the same call, but it is not a counter
  // of the CPU.
  FTAP_TRY_ASSIGN(counters, kernel::CycleCounters::open(topology, kernel::CycleEvent::clock()));
  std::vector<Build> builds;
  const auto add = [&](const std::string& object, const char* how, Tap::Account account) -> Status {
    FTAP_TRY_ASSIGN(tap, Tap::load(object, topology, std::move(account)));
    const std::string file = std::filesystem::path(object).filename();
    builds.push_back({file.substr(0, file.find('.')) + how, std::move(tap)});
    return {};
  };
  FTAP_TRY(add(objects.front(), ", usage off", {}));
  FTAP_TRY(add(objects.front(), ", usage on", {.cgroups = kCgroups}));
  FTAP_TRY(add(
      objects.front(), ", usage and cycles on",
      {.cgroups = kCgroups, .counters = std::make_shared<const kernel::CycleCounters>(std::move(counters))}));
  for (std::size_t i = 1; i < objects.size(); ++i)
    FTAP_TRY(add(objects[i], ", usage on", {.cgroups = kCgroups}));
  print_section("dispatch path by the kernel's run_time_ns, ping-pong");
  for (const Load& load : kLoads) FTAP_TRY(by_run_time(builds, empties, load));
  print_section("dispatch path end to end, ping-pong");
  for (const Load& load : kLoads) FTAP_TRY(end_to_end(builds, empties, load));
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_dispatch OBJECT [OBJECT...]\n");
    return 2;
  }
  return flowtap::bench::finish(flowtap::bench::run({argv + 1, argv + argc}));
}
