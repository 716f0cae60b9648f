// The ns of one count, compared with an empty program: stat_add, the other ways to count, and bpftrace's count().
//
// On sched_switch all ways are attached at once, so that each round gives every one of them the same events;
// the order of the calls changes from round to round. bpftrace has its own empty program, since it uses another kind.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <map>
#include <memory>
#include <vector>

#include "counters.skel.h"
#include "kernel/libbpf_messages.hpp"
#include "kernel/program_stats.hpp"
#include "kernel/requirements.hpp"
#include "kernel/topology.hpp"
#include "tools/bench/load/loads.hpp"
#include "tools/bench/measure/bpftrace.hpp"
#include "tools/bench/measure/figures.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 15;
constexpr int kYields = 60'000;  // of each of two threads, per round
constexpr int kRepeats = 200'000;
constexpr __u32 kTimes = 16;  // as in counters.bpf.c

struct Way {
  std::string
      name;  ///< of the program that counts once; with "16" it counts that often, and with "_tc" it runs alone
  const char* what;
  const char* goal;
};
const std::array kWays{
    Way{"ftap_none", "another empty program: the noise", ""},
    Way{"ftap_slot", "stat_add", "10"},
    Way{"ftap_array", "PERCPU_ARRAY, plain add", ""},
    Way{"ftap_atomic", "PERCPU_ARRAY, atomic add", ""},
    Way{"ftap_phash", "PERCPU_HASH, plain add", ""},
    Way{"ftap_hash", "shared HASH, atomic add", ""},
};

using Skeleton = std::unique_ptr<counters_bpf, decltype(&counters_bpf::destroy)>;
using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;
using Figures = std::map<std::string, Rounds>;

Result<Skeleton> load() {
  FTAP_TRY_ASSIGN(topology, kernel::read_topology("/sys"));
  const kernel::LibbpfMessages messages;
  Skeleton skeleton(counters_bpf::open(), counters_bpf::destroy);
  if (!skeleton) return fail_errno(errno, "cannot open the benchmark's programs");
  bpf_map__set_max_entries(skeleton->maps.ftap_slots, topology.highest_plus_one());
  if (const int err = counters_bpf::load(skeleton.get()); err != 0)
    return std::unexpected(kernel::bpf_refusal("load the benchmark's programs", -err, messages.reason()));
  // In the hashes the key exists already, as it does for every count but the first.
  const std::vector<std::uint64_t> zeros(topology.highest_plus_one());
  for (const bpf_map* map : {skeleton->maps.ftap_of_phash, skeleton->maps.ftap_of_hash})
    for (__u32 key = 0; key < kTimes; ++key)
      if (bpf_map_update_elem(bpf_map__fd(map), &key, zeros.data(), BPF_ANY) != 0)
        return fail_errno(errno, "cannot make a key");
  return skeleton;
}

bpf_program* program(const counters_bpf& skeleton, const std::string& name) {
  return bpf_object__find_program_by_name(skeleton.obj, name.c_str());
}

struct Counter {
  std::string name;
  int fd;
};

// Mean ns per run of each program while two threads yield to each other.
Result<std::map<std::string, double>> time_runs(const std::vector<Counter>& counters) {
  std::vector<kernel::ProgramStats> before;
  for (const auto& [name, fd] : counters) {
    FTAP_TRY_ASSIGN(stats, kernel::read_program_stats(name, fd, true));
    before.push_back(std::move(stats));
  }
  FTAP_TRY(yields(kYields, 0));
  std::map<std::string, double> mean;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    FTAP_TRY_ASSIGN(after, kernel::read_program_stats(counters[i].name, counters[i].fd, true));
    const auto runs = *after.runs - *before[i].runs;
    if (runs == 0) return fail(counters[i].name + " was never run");
    mean[counters[i].name] =
        static_cast<double>(*after.run_nanoseconds - *before[i].run_nanoseconds) / static_cast<double>(runs);
  }
  return mean;
}

// The figures of one way in a round: for one count, and a sixteenth of the time for sixteen.
void add(Figures& figures, const Way& way, double empty, double once, double sixteen) {
  figures[way.name].add(once - empty);
  figures[way.name + "16"].add((sixteen - empty) / kTimes);
}

Status on_event(const counters_bpf& skeleton, Figures& figures) {
  const Fd stats_on(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!stats_on.valid()) return fail_errno(errno, "cannot make the kernel time BPF programs");
  FTAP_TRY_ASSIGN(trace_none, Bpftrace::start("{ }"));
  FTAP_TRY_ASSIGN(trace_count, Bpftrace::start("{ @ = count(); }"));

  std::vector<bpf_program*> programs;
  programs.push_back(program(skeleton, "ftap_empty"));
  for (const Way& way : kWays)
    for (const char* times : {"", "16"}) programs.push_back(program(skeleton, way.name + times));
  std::vector<Counter> counters{{"bpftrace none", trace_none->program_fd()},
                                {"bpftrace count", trace_count->program_fd()}};
  for (bpf_program* p : programs) counters.push_back({bpf_program__name(p), bpf_program__fd(p)});

  for (std::size_t round = 0; round < kRounds; ++round) {
    std::vector<Link> links;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      links.emplace_back(bpf_program__attach(programs[(i + round) % programs.size()]), bpf_link__destroy);
      if (!links.back()) return fail_errno(errno, "cannot attach to sched_switch");
    }
    FTAP_TRY_ASSIGN(mean, time_runs(counters));
    figures["empty"].add(mean["ftap_empty"]);
    figures["bpftrace empty"].add(mean["bpftrace none"]);
    figures["bpftrace"].add(mean["bpftrace count"] - mean["bpftrace none"]);
    for (const Way& way : kWays) add(figures, way, mean["ftap_empty"], mean[way.name], mean[way.name + "16"]);
  }
  return {};
}

Result<double> time_repeats(const bpf_program* program) {
  std::array<char, 64> packet{};
  LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = packet.data(), .data_size_in = packet.size(),
              .repeat = kRepeats);
  // The thread's own time. The kernel's duration is in whole nanoseconds and includes other threads.
  timespec begin{};
  timespec end{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  if (bpf_prog_test_run_opts(bpf_program__fd(program), &options) != 0)
    return fail_errno(errno, "cannot run a program by itself");
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  const auto ns = static_cast<double>(end.tv_nsec - begin.tv_nsec);
  return (static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 + ns) / kRepeats;
}

Status by_itself(const counters_bpf& skeleton, Figures& figures) {
  FTAP_TRY(pin_to(0));
  for (int round = 0; round < kRounds; ++round) {
    FTAP_TRY_ASSIGN(empty, time_repeats(program(skeleton, "ftap_empty_tc")));
    figures["empty"].add(empty);
    for (const Way& way : kWays) {
      FTAP_TRY_ASSIGN(once, time_repeats(program(skeleton, way.name + "_tc")));
      FTAP_TRY_ASSIGN(sixteen, time_repeats(program(skeleton, way.name + "16_tc")));
      add(figures, way, empty, once, sixteen);
    }
  }
  return {};
}

void print(Figures& figures) {
  for (const Way& way : kWays) {
    print_row(way.what, figures[way.name], "ns over empty", way.goal);
    print_row("- sixteen of them, each", figures[way.name + "16"], "ns over empty", way.goal);
  }
}

Status run() {
  FTAP_TRY(kernel::check_bpf_requirements());
  FTAP_TRY_ASSIGN(skeleton, load());
  Figures event;
  Figures alone;
  FTAP_TRY(on_event(*skeleton, event));
  FTAP_TRY(by_itself(*skeleton, alone));

  print_section("count on sched_switch (run_time_ns of the kernel)");
  print_row("empty program, with the kernel's clock reads", event["empty"], "ns");
  print(event);
  print_row("bpftrace, empty body", event["bpftrace empty"], "ns");
  print_row("bpftrace count()", event["bpftrace"], "ns over bpftrace's empty");
  print_section("the same programs run by themselves (test run)");
  print_row("empty program, with the kernel's loop", alone["empty"], "ns");
  print(alone);
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
