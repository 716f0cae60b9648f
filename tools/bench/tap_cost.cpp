// The cost that the log tap adds to the system calls of a node: to those that are captured, to those of the same kind
// that are not, and to all others.
//
//   bench_tap_cost [--rounds=N] [sys_exit] [fexit]     both without names
//
// CPU time of the thread that makes the calls. Each round measures all loads with nothing attached, with an empty program
// on the tracepoint, with the tap that taps none of them, and with one that taps them all; in alternating order.
#include <fmt/core.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "empty_call.skel.h"
#include "kernel/requirements.hpp"
#include "tools/bench/load/loads.hpp"
#include "tools/bench/load/tap_loads.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/log_path.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 15;  // the default

enum Mode : std::size_t { kNothing, kEmpty, kNotTapped, kTapped, kModes };
constexpr std::array<const char*, kModes> kModeNames{"nothing attached", "an empty program",
                                                     "the tap, tapping others", "the tap, tapping this"};

using Skeleton = std::unique_ptr<empty_call_bpf, decltype(&empty_call_bpf::destroy)>;

Result<TapCosts> with_empty(TapLoads& loads) {
  const Skeleton skeleton(empty_call_bpf::open_and_load(), empty_call_bpf::destroy);
  if (!skeleton || empty_call_bpf::attach(skeleton.get()) != 0)
    return fail_errno(errno, "cannot attach the empty program");
  return loads.measure();
}

Result<TapCosts> with_tap(TapLoads& loads, kernel::LogBackend backend, bool tapped) {
  FTAP_TRY_ASSIGN(path, LogPath::start(backend));
  if (!tapped) return loads.measure();
  struct Stream {
    flow::StreamNo number;
    TapLoads::Place before;
  };
  std::vector<Stream> streams;
  const auto places = [&loads] { return std::array{loads.pipe(), loads.busy_pipe(), loads.file()}; };
  for (const auto& place : places()) {
    const auto kind = place.fd == loads.file().fd ? FTAP_KIND_FILE : FTAP_KIND_PIPE;
    FTAP_TRY_ASSIGN(number, path->tap(place.fd, kind));
    streams.push_back({number, place});
  }
  FTAP_TRY_ASSIGN(costs, loads.measure());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    FTAP_TRY_ASSIGN(ledger,
                    path->settle(streams[i].number, places().at(i).passed - streams[i].before.passed));
    // Bytes that are not copied cost nothing.
    if (ledger.lost != 0)
      return fail(fmt::format("{} bytes were lost while costs were measured", ledger.lost));
  }
  return costs;
}

Result<TapCosts> measure(TapLoads& loads, kernel::LogBackend backend, std::size_t mode) {
  if (mode == kNothing) return loads.measure();
  if (mode == kEmpty) return with_empty(loads);
  return with_tap(loads, backend, mode == kTapped);
}

// The goals of the design's section 9 for a captured write. A pipe is captured where it is read.
const char* goal_of(std::size_t load, std::size_t mode, kernel::LogBackend backend) {
  if (mode != kTapped || (load != kPipeWrite && load != kFileWrite)) return "";
  if (backend == kernel::LogBackend::kSysExit) return "200";
  return load == kPipeWrite ? "0" : "";
}

Status measure_all(TapLoads& loads, kernel::LogBackend backend, int rounds) {
  const std::string name(kernel::backend_name(backend));
  if (auto tried = LogPath::start(backend); !tried) {
    if (tried.error().code != EPERM) return std::unexpected(std::move(tried).error());
    print_section("cost of the tap, " + name + ": refused by this kernel");
    return {};
  }
  std::array<std::array<Rounds, kModes>, kTapLoads.size()> figures;
  for (int round = 0; round < rounds; ++round) {
    std::array<TapCosts, kModes> costs{};
    for (std::size_t i = 0; i < kModes; ++i) {
      const std::size_t mode = round % 2 == 0 ? i : kModes - 1 - i;
      FTAP_TRY_ASSIGN(cost, measure(loads, backend, mode));
      costs.at(mode) = cost;
    }
    for (std::size_t load = 0; load < kTapLoads.size(); ++load)
      for (std::size_t mode = 0; mode < kModes; ++mode)
        figures.at(load).at(mode).add(costs.at(mode).at(load));
  }
  print_section("cost of the tap, " + name);
  for (std::size_t load = 0; load < kTapLoads.size(); ++load) {
    const auto& of = figures.at(load);
    print_row(kTapLoads.at(load), of[kNothing], "ns of CPU");
    for (std::size_t mode = kEmpty; mode < kModes; ++mode)
      print_added(fmt::format("- added by {}", kModeNames.at(mode)), of.at(mode), of[kNothing], "ns of CPU",
                  goal_of(load, mode, backend));
  }
  return {};
}

Status run(const std::vector<kernel::LogBackend>& backends, int rounds) {
  FTAP_TRY(kernel::check_bpf_requirements());
  FTAP_TRY_ASSIGN(loads, TapLoads::start());
  // The tap's consumer is a thread of this process, and a process with threads pays for each look at a descriptor (44
  // instructions a write): so it has a second one all the time.
  const std::jthread second([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  for (const kernel::LogBackend backend : backends) FTAP_TRY(measure_all(loads, backend, rounds));
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  using flowtap::kernel::LogBackend;
  constexpr std::string_view kRoundsFlag = "--rounds=";
  std::vector<LogBackend> backends;
  int rounds = flowtap::bench::kRounds;
  for (std::string_view word : std::vector<std::string_view>(argv + 1, argv + argc)) {
    if (word == backend_name(LogBackend::kSysExit)) {
      backends.push_back(LogBackend::kSysExit);
    } else if (word == backend_name(LogBackend::kFunctions)) {
      backends.push_back(LogBackend::kFunctions);
    } else {
      rounds = 0;
      if (word.starts_with(kRoundsFlag)) word.remove_prefix(kRoundsFlag.size());
      std::from_chars(word.begin(), word.end(), rounds);
    }
  }
  if (rounds <= 0) {
    fmt::print(stderr, "usage: bench_tap_cost [--rounds=N] [sys_exit] [fexit]\n");
    return 2;
  }
  if (backends.empty()) backends = {LogBackend::kSysExit, LogBackend::kFunctions};
  return flowtap::bench::finish(flowtap::bench::run(backends, rounds));
}
