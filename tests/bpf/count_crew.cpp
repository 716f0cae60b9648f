#include "tests/bpf/count_crew.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "stats/table.hpp"

namespace flowtap::test {
namespace {

constexpr char kLast = 'q';
constexpr std::uint64_t kReadingsPerReset = 10;  // a bound, in case nothing is ever found

void print(const Outcome& o) {
  for (std::size_t cls = 0; cls < FTAP_NR_CLASSES; ++cls)
    for (const stats::Stat& s : stats::slot_stats())
      if (s.family == stats::FamilyId::kDISPATCHED_TASKS && o.of(*s.slot, cls) != 0)
        std::printf("  %-6s %-16s %10lu\n", cls == FTAP_CLASS_EXT ? "ext" : "kernel",
                    std::string(*s.label).c_str(), o.of(*s.slot, cls));
  std::printf("  switches %lu voluntary + %lu nonvoluntary of %lu tasks\n", o.switches.voluntary,
              o.switches.nonvoluntary, o.switches.tasks);
  std::printf("  resets %lu\n", o.resets);
}

}  // namespace

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

std::uint64_t Outcome::unobserved_limit() const {
  return in_vm() ? 0 : sum() / 50 + 2;
}

Outcome count_crew(const Job& job, const Counting& how) {
  const Job nothing = [](Hands&) {};
  Crew crew({how.before ? how.before : nothing, how.prepare ? how.prepare : nothing, job});
  crew.go();
  crew.finish();
  const kernel::DispatchLive live = attach(crew.cgroup_id());
  auto slots = live.slots();
  EXPECT_TRUE(slots) << slots.error().what;
  crew.go();
  crew.finish();
  const SwitchCounts before = crew.quiesce();
  Outcome outcome;
  (*slots)->take(outcome.prepared);

  crew.want_more(true);
  crew.go();
  for (std::uint64_t readings = 0; crew.busy(); ++readings) {
    crew.want_more(outcome.resets < how.resets && readings < kReadingsPerReset * how.resets);
    const std::uint64_t found = outcome.latency_count();
    (*slots)->take(outcome.counts);
    if (outcome.latency_count() != found) ++outcome.resets;
    std::this_thread::sleep_for(how.cycle);
  }
  const SwitchCounts after = crew.quiesce();
  (*slots)->take(outcome.counts);
  outcome.switches = {after.voluntary - before.voluntary, after.nonvoluntary - before.nonvoluntary,
                      after.tasks};

  for (const auto& program : live.program_stats(false)) EXPECT_TRUE(program) << program.error().what;
  print(outcome);
  return outcome;
}

void start_ping_pong(Hands& hands, int rounds, const std::vector<int>& first,
                     const std::vector<int>& second) {
  std::array<int, 2> ping{};
  std::array<int, 2> pong{};
  if (::pipe(ping.data()) != 0 || ::pipe(pong.data()) != 0) ::_exit(1);
  const auto hand_over = [](int fd, char c) {
    if (::write(fd, &c, 1) != 1) ::_exit(1);
  };
  const auto receive = [](int fd) {
    char c = 0;
    if (::read(fd, &c, 1) != 1) ::_exit(1);
    return c;
  };
  hands.thread([=, &hands] {
    pin_to(first);
    for (int i = 0; i < rounds || hands.wanted(); ++i) hand_over(ping[1], 'x'), receive(pong[0]);
    hand_over(ping[1], kLast);
  });
  hands.thread([=] {
    pin_to(second);
    while (receive(ping[0]) != kLast) hand_over(pong[1], 'x');
  });
}

void ping_pong(Hands& hands, int rounds, const std::vector<int>& first, const std::vector<int>& second) {
  start_ping_pong(hands, rounds, first, second);
  hands.wait();
}

}  // namespace flowtap::test
