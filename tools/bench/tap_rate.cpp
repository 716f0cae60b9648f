// How many lines of 100 B the log tap captures in a second without losing one, and what its consumer's thread (ring to
// journal, in a tmpfs) uses for a million of them: flat out and at 20,000 lines a second.
#include <fmt/core.h>

#include <vector>

#include "kernel/requirements.hpp"
#include "tools/bench/load/line_pipe.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/log_path.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 7;
constexpr Order kFlatOut{.times = 1'000'000};
constexpr int kSlowRounds = 3;
constexpr Order kSlow{.times = 60'000, .per_second = 20'000};

struct Setting {
  const char* what;
  std::size_t read_size;
  std::uint32_t ring_mib;  ///< 0: no tap
};
constexpr Setting kSettings[] = {
    {"no tap, 32 KiB reads", kShimRead, 0},        {"no tap, reads of one line", kLine, 0},
    {"32 KiB reads, 64 MiB ring", kShimRead, 64},  {"8 KiB reads, 64 MiB ring", kConmonRead, 64},
    {"reads of one line, 64 MiB ring", kLine, 64}, {"32 KiB reads, 16 MiB ring", kShimRead, 16},
    {"reads of one line, 16 MiB ring", kLine, 16}, {"32 KiB reads, 4 MiB ring", kShimRead, 4},
};

struct Figures {
  Rounds lines_per_second;
  Rounds consumer;  ///< CPU s per million lines
  Rounds reader;    ///< likewise
  std::uint64_t lost = 0;
};

double per_million(double ns, std::uint64_t lines) {
  return ns / 1e9 / (static_cast<double>(lines) / 1e6);
}

Result<Figures> nothing_lost(Figures figures, const Setting& setting) {
  if (figures.lost != 0 && setting.ring_mib == 64)
    return fail(fmt::format("{} bytes were lost ({})", figures.lost, setting.what));
  return figures;
}

Status pass(LinePipe& lines, const Setting& setting, const Order& order, bool followed, Figures& figures) {
  std::unique_ptr<LogPath> path;
  flow::StreamNo stream = 0;
  std::shared_ptr<flow::Follower> follower;
  if (setting.ring_mib > 0) {
    FTAP_TRY_ASSIGN(started, LogPath::start(kernel::LogBackend::kSysExit, setting.ring_mib << 20U));
    path = std::move(started);
    FTAP_TRY_ASSIGN(tapped, path->tap(lines.fd()));
    stream = tapped;
    if (followed) {
      FTAP_TRY_ASSIGN(follows, path->follow());
      follower = std::move(follows);
    }
  }
  const double cpu = path ? path->consumer_cpu_ns() : 0;
  FTAP_TRY_ASSIGN(cost, lines.pass(order));
  figures.lines_per_second.add(static_cast<double>(order.times) / cost.wall_ns * 1e9);
  figures.reader.add(per_million(cost.reader_cpu_ns, order.times));
  if (!path) return {};
  FTAP_TRY_ASSIGN(ledger, path->settle(stream, order.times * kLine));
  figures.lost += ledger.lost;
  figures.consumer.add(per_million(path->consumer_cpu_ns() - cpu, order.times));
  return {};
}

void print(const Setting& setting, const Figures& figures, const char* goal) {
  print_row(setting.what, figures.lines_per_second, "lines per second", goal);
  if (setting.ring_mib > 0) {
    print_row("- lost", std::to_string(figures.lost), "bytes", *goal != '\0' ? "0" : "");
    print_row("- consumer", figures.consumer, "CPU s per million lines", *goal != '\0' ? "0.25" : "");
  }
  print_row("- reader", figures.reader, "CPU s per million lines");
}

Status run() {
  FTAP_TRY(kernel::check_bpf_requirements());
  // All forks come before the first tap.
  std::vector<std::unique_ptr<LinePipe>> pipes;
  for (const Setting& setting : kSettings) {
    FTAP_TRY_ASSIGN(lines, LinePipe::start(setting.read_size));
    pipes.push_back(std::move(lines));
  }
  FTAP_TRY_ASSIGN(slow_pipe, LinePipe::start(kShimRead));

  std::vector<Figures> flat_out(std::size(kSettings));
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < pipes.size(); ++i)
      FTAP_TRY(pass(*pipes[i], kSettings[i], kFlatOut, false, flat_out[i]));
  print_section(fmt::format("lines of 100 B, flat out, {} rounds of {} lines", kRounds, kFlatOut.times));
  for (std::size_t i = 0; i < pipes.size(); ++i)
    print(kSettings[i], flat_out[i], kSettings[i].ring_mib == 64 ? "1000000" : "");

  constexpr Setting kDefault{"", kShimRead, 64};
  Figures alone;
  Figures followed;
  for (int round = 0; round < kSlowRounds; ++round) {
    FTAP_TRY(pass(*slow_pipe, kDefault, kSlow, false, alone));
    FTAP_TRY(pass(*slow_pipe, kDefault, kSlow, true, followed));
  }
  print_section(
      fmt::format("lines of 100 B, 20,000 a second, {} rounds of {} lines", kSlowRounds, kSlow.times));
  print_row("consumer, nobody follows", alone.consumer, "CPU s per million lines", "0.8");
  print_row("consumer, somebody follows", followed.consumer, "CPU s per million lines", "1.6");
  print_row("- lost by both", std::to_string(alone.lost + followed.lost), "bytes", "0");
  flat_out.push_back(alone);
  flat_out.push_back(followed);
  for (std::size_t i = 0; i < flat_out.size(); ++i)
    FTAP_TRY(nothing_lost(flat_out[i], i < pipes.size() ? kSettings[i] : kDefault));
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
