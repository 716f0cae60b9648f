// Reads and resets the counters while events are counted: µs per cycle, and whether anything is lost or counted twice,
// for our way and the two that others use.
//
// The generator makes a known number of events on CPU 0; the resetter takes the counts out on CPU 1, flat out
// or every millisecond. The error is the sum over all cycles minus the number of events.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "kernel/libbpf_messages.hpp"
#include "kernel/program_stats.hpp"
#include "kernel/requirements.hpp"
#include "kernel/topology.hpp"
#include "resets.skel.h"
#include "tools/bench/load/loads.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/resets.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 5;
constexpr std::int64_t kEvents = 3'000'000;  // per round

struct Figures {
  Rounds us;  ///< the median cycle of each round
  std::int64_t error = 0;
  std::uint64_t misses = 0;
};

Status round_of(Reset& reset, resets_bpf& skeleton, std::size_t keys, std::chrono::microseconds period,
                Figures& figures) {
  skeleton.bss->ftap_keys = static_cast<__u32>(keys);
  reset.take(keys);  // the rest of another round
  const std::unique_ptr<bpf_link, int (*)(bpf_link*)> link(bpf_program__attach(reset.program()),
                                                           bpf_link__destroy);
  if (!link) return fail_errno(errno, "cannot attach to sys_enter");
  const int fd = bpf_program__fd(reset.program());
  FTAP_TRY_ASSIGN(before, kernel::read_program_stats("sys_enter", fd, false));

  std::atomic<bool> done = false;
  std::int64_t counted = 0;
  Rounds cycles;
  {
    FTAP_TRY(pin_to(1));
    const std::jthread generator([&done] {
      const bool pinned = pin_to(0).has_value();
      for (std::int64_t i = 0; pinned && i < kEvents; ++i) ::syscall(SYS_getppid);
      done = true;
    });
    while (!done) {
      const auto begin = std::chrono::steady_clock::now();
      const std::uint64_t taken = reset.take(keys);
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
      counted += static_cast<std::int64_t>(taken);
      // After a pause all keys have counted, unless the generator did not get its CPU. Such a cycle does not count.
      if (period.count() == 0 || taken >= keys) cycles.add(took.count());
      if (period.count() > 0) std::this_thread::sleep_for(period);
    }
  }
  counted += static_cast<std::int64_t>(reset.take(keys));
  FTAP_TRY_ASSIGN(after, kernel::read_program_stats("sys_enter", fd, false));
  const auto misses = after.recursion_misses - before.recursion_misses;
  figures.us.add(cycles.median());
  figures.misses += misses;
  // If the program was not called for an event, no way can count it.
  figures.error += counted - (kEvents - static_cast<std::int64_t>(misses));
  return {};
}

std::string error_text(const Figures& f) {
  if (f.error == 0) return "0";
  const double percent = 100.0 * static_cast<double>(f.error) / static_cast<double>(kEvents * kRounds);
  return fmt::format("{:+} ({:+.3f} %)", f.error, percent);
}

Status measure(std::vector<std::unique_ptr<Reset>>& resets, resets_bpf& skeleton, std::size_t keys,
               const char* goal, std::chrono::microseconds period) {
  std::vector<Figures> figures(resets.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < resets.size(); ++i)
      FTAP_TRY(round_of(*resets[i], skeleton, keys, period, figures[i]));

  print_section(fmt::format(
      "cycle over {} keys, {}", keys,
      period.count() > 0 ? "every 1 ms, all of them counting" : "back to back, few of them counting"));
  for (std::size_t i = 0; i < resets.size(); ++i) {
    print_row(resets[i]->what(), figures[i].us, "µs per cycle", i == 0 ? goal : "");
    print_row("- error over 15,000,000 events", error_text(figures[i]), "events", i == 0 ? "0" : "");
    if (figures[i].misses != 0)
      print_row("- events that BPF did not see, not in the error", std::to_string(figures[i].misses),
                "events");
  }
  return {};
}

Status run() {
  FTAP_TRY(kernel::check_bpf_requirements());
  FTAP_TRY_ASSIGN(topology, kernel::read_topology("/sys"));
  const unsigned cpus = topology.highest_plus_one();
  const kernel::LibbpfMessages messages;
  const std::unique_ptr<resets_bpf, decltype(&resets_bpf::destroy)> skeleton(resets_bpf::open(),
                                                                             resets_bpf::destroy);
  if (!skeleton) return fail_errno(errno, "cannot open the benchmark's programs");
  skeleton->rodata->ftap_syscall = SYS_getppid;
  bpf_map__set_max_entries(skeleton->maps.ftap_mapped, cpus);
  if (const int err = resets_bpf::load(skeleton.get()); err != 0)
    return std::unexpected(kernel::bpf_refusal("load the benchmark's programs", -err, messages.reason()));
  skeleton->bss->ftap_tgid = static_cast<__u32>(::getpid());

  FTAP_TRY_ASSIGN(blocks, kernel::MapView<KeyBlock>::map(bpf_map__fd(skeleton->maps.ftap_mapped), cpus));
  std::vector<std::unique_ptr<Reset>> resets;
  resets.push_back(exchange(skeleton->progs.ftap_to_mapped, std::move(blocks)));
  resets.push_back(lookup_then_zero(skeleton->progs.ftap_to_parray, bpf_map__fd(skeleton->maps.ftap_parray),
                                    topology.possible));
  resets.push_back(lookup_and_delete(skeleton->progs.ftap_to_phash, bpf_map__fd(skeleton->maps.ftap_phash),
                                     topology.possible));
  for (const auto period : {std::chrono::microseconds(0), std::chrono::microseconds(1000)}) {
    FTAP_TRY(measure(resets, *skeleton, 64, "2", period));
    FTAP_TRY(measure(resets, *skeleton, kMaxKeys, "13", period));
  }
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
