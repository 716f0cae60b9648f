#include "tests/bpf/count_crew.hpp"

#include <unistd.h>

#include <cstdio>
#include <thread>

#include "kernel/dispatch_programs.hpp"
#include "stats/table.hpp"

namespace flowtap::test {
namespace {

void print(const Outcome& o) {
  for (std::size_t cls = 0; cls < FTAP_NR_CLASSES; ++cls)
    for (const stats::Stat& s : stats::kernel_stats())
      if (s.family == stats::FamilyId::kDISPATCHED_TASKS && o.of(*s.slot, cls) != 0)
        std::printf("  %-6s %-16s %10lu\n", cls == FTAP_CLASS_EXT ? "ext" : "kernel",
                    std::string(*s.label).c_str(), o.of(*s.slot, cls));
  std::printf("  switches %lu voluntary + %lu nonvoluntary of %lu tasks\n", o.switches.voluntary,
              o.switches.nonvoluntary, o.switches.tasks);
}

kernel::DispatchLive attach(std::uint64_t cgroup) {
  auto topology = kernel::read_topology("/sys");
  EXPECT_TRUE(topology) << topology.error().what;
  auto opened = kernel::DispatchOpened::open(std::move(*topology));
  EXPECT_TRUE(opened) << opened.error().what;
  opened->only_cgroup(cgroup);
  auto loaded = std::move(*opened).load();
  EXPECT_TRUE(loaded) << loaded.error().what;
  auto live = std::move(*loaded).attach();
  EXPECT_TRUE(live) << live.error().what;
  return std::move(*live);
}

}  // namespace

std::uint64_t Outcome::sum(std::size_t cls) const {
  std::uint64_t n = 0;
  for (std::size_t slot = FTAP_SLOT_NEW; slot <= FTAP_SLOT_UNOBSERVED; ++slot) n += of(slot, cls);
  return n;
}

std::uint64_t Outcome::pulled() const {
  return of(FTAP_SLOT_PULLED_LLC) + of(FTAP_SLOT_PULLED_NODE) + of(FTAP_SLOT_PULLED_XNUMA);
}

std::uint64_t Outcome::woken_or_new() const {
  return sum() - of(FTAP_SLOT_PREEMPTED) - pulled() - of(FTAP_SLOT_UNOBSERVED);
}

std::uint64_t Outcome::latency_count() const {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i <= FTAP_HIST_BUCKETS; ++i) n += of(FTAP_SLOT_LATENCY + i);
  return n;
}

Outcome count_crew(const std::function<void(Hands&)>& job, std::chrono::microseconds cycle,
                   const std::function<void()>& meanwhile) {
  Crew crew(job);
  const SwitchCounts before = crew.quiesce();
  const kernel::DispatchLive live = attach(crew.cgroup_id());
  auto slots = live.slots();
  EXPECT_TRUE(slots) << slots.error().what;

  Outcome outcome;
  crew.go();
  while (crew.busy()) {
    (*slots)->take(outcome.counts);
    if (meanwhile) meanwhile();
    std::this_thread::sleep_for(cycle);
  }
  const SwitchCounts after = crew.quiesce();
  (*slots)->take(outcome.counts);
  outcome.switches = {after.voluntary - before.voluntary, after.nonvoluntary - before.nonvoluntary,
                      after.tasks};

  for (const auto& program : live.program_stats(false)) EXPECT_TRUE(program) << program.error().what;
  print(outcome);
  return outcome;
}

void ping_pong(Hands& hands, int rounds, const std::vector<int>& first, const std::vector<int>& second) {
  std::array<int, 2> ping{};
  std::array<int, 2> pong{};
  if (::pipe(ping.data()) != 0 || ::pipe(pong.data()) != 0) ::_exit(1);
  const auto play = [rounds](int in, int out, bool serves) {
    char c = 'x';
    for (int i = 0; i < rounds; ++i) {
      if (serves && ::write(out, &c, 1) != 1) ::_exit(1);
      if (::read(in, &c, 1) != 1) ::_exit(1);
      if (!serves && ::write(out, &c, 1) != 1) ::_exit(1);
    }
  };
  hands.thread([=] { pin_to(first), play(pong[0], ping[1], true); });
  hands.thread([=] { pin_to(second), play(ping[0], pong[1], false); });
  hands.wait();
}

}  // namespace flowtap::test
