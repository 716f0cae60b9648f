// The bytes that are lost while the log tap's consumer stalls and a writer runs flat out: again and again for 10, 50
// and 100 ms, and once for a second, with the default ring and a quarter of it.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernel/requirements.hpp"
#include "tools/bench/load/line_pipe.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/log_path.hpp"

namespace flowtap::bench {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr int kRounds = 3;
constexpr Order kLines{.times = 2'000'000};  // longer than a second

struct Stall {
  const char* what;
  milliseconds each;
  milliseconds once;
};
constexpr Stall kStalls[] = {
    {"no stall", 0ms, 0ms},
    {"10 ms after each drain", 10ms, 0ms},
    {"50 ms after each drain", 50ms, 0ms},
    {"100 ms after each drain", 100ms, 0ms},
    {"1 s, once", 0ms, 1s},
};
struct Reads {
  const char* what;
  std::size_t size;
};
constexpr Reads kReads[] = {{"32 KiB reads", kShimRead}, {"reads of one line", kLine}};
constexpr std::uint32_t kRings[] = {64, 16};  // MiB

struct Figures {
  Rounds lines_per_second;
  Rounds lost;             ///< % of the bytes
  std::uint64_t fill = 0;  ///< the most that was seen in the ring, in bytes
};

Status pass(LinePipe& lines, const Stall& stall, std::uint32_t ring_mib, Figures& figures) {
  FTAP_TRY_ASSIGN(path, LogPath::start(kernel::LogBackend::kSysExit, ring_mib << 20U));
  FTAP_TRY_ASSIGN(stream, path->tap(lines.fd()));
  path->stall_each(stall.each);
  path->stall_once(stall.once);
  FTAP_TRY_ASSIGN(cost, lines.pass(kLines));
  path->stall_each(0ms);
  FTAP_TRY_ASSIGN(ledger, path->settle(stream, kLines.times * kLine));
  figures.lines_per_second.add(static_cast<double>(kLines.times) / cost.wall_ns * 1e9);
  figures.lost.add(100.0 * static_cast<double>(ledger.lost) / static_cast<double>(kLines.times * kLine));
  figures.fill = std::max(figures.fill, path->take_most_waiting());
  return {};
}

Status run() {
  FTAP_TRY(kernel::check_bpf_requirements());
  std::vector<std::unique_ptr<LinePipe>> pipes;
  for (const Reads& reads : kReads) {
    FTAP_TRY_ASSIGN(lines, LinePipe::start(reads.size));
    pipes.push_back(std::move(lines));
  }
  Figures figures[std::size(kReads)][std::size(kRings)][std::size(kStalls)];
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t r = 0; r < std::size(kReads); ++r)
      for (std::size_t size = 0; size < std::size(kRings); ++size)
        for (std::size_t s = 0; s < std::size(kStalls); ++s)
          FTAP_TRY(pass(*pipes[r], kStalls[s], kRings[size], figures[r][size][s]));

  for (std::size_t r = 0; r < std::size(kReads); ++r)
    for (std::size_t size = 0; size < std::size(kRings); ++size) {
      print_section(fmt::format("stalls, ring of {} MiB, {}", kRings[size], kReads[r].what));
      for (std::size_t s = 0; s < std::size(kStalls); ++s) {
        const Figures& f = figures[r][size][s];
        print_row(kStalls[s].what, f.lost,
                  fmt::format("% lost; {:.1f} MiB at most", static_cast<double>(f.fill) / 1048576),
                  kRings[size] == 64 && kStalls[s].once == 0ms ? "0" : "");
        print_row("- while written", f.lines_per_second, "lines per second");
      }
    }
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
