// Compares the log tap with bpftrace and strace, which write the same process's lines to a file: what each adds to a
// line of 100 B through a pipe, what it uses itself, and how many lines it misses. Flat out and at 20,000 lines a
// second.
#include <fmt/core.h>

#include <stdlib.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "kernel/requirements.hpp"
#include "tools/bench/load/line_pipe.hpp"
#include "tools/bench/measure/collector.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/log_path.hpp"

namespace flowtap::bench {
namespace {

constexpr int kRounds = 5;
constexpr std::uint64_t kSlowly = 20'000;  // lines per second

enum Mode : std::size_t { kNothing, kFlowtap, kBpftrace, kStrace, kModes };
constexpr std::array<const char*, kModes> kNames{"nothing", "flowtap", "bpftrace", "strace"};
// Each long enough to be timed; strace takes fifty times as long per line.
constexpr std::array<std::uint64_t, kModes> kFlatOut{400'000, 400'000, 200'000, 20'000};
constexpr std::uint64_t kSlow = 20'000;

/// The figures of one pace and one mode.
struct Figures {
  Rounds wall;       ///< ns of the writer per line
  Rounds writer;     ///< ns of its CPU per line
  Rounds reader;     ///< likewise
  Rounds collector;  ///< CPU s per million lines written
  std::uint64_t written = 0;
  std::uint64_t captured = 0;
};

void add(Figures& figures, const Order& order, const LineCost& cost, double collector_ns,
         std::uint64_t captured) {
  const auto lines = static_cast<double>(order.times);
  figures.wall.add(cost.writer_wall_ns / lines);
  figures.writer.add(cost.writer_cpu_ns / lines);
  figures.reader.add(cost.reader_cpu_ns / lines);
  figures.collector.add(collector_ns / lines / 1e3);
  figures.written += order.times;
  figures.captured += captured;
}

Status pass_flowtap(LinePipe& lines, const Order& order, Figures& figures) {
  FTAP_TRY_ASSIGN(path, LogPath::start(kernel::LogBackend::kSysExit));
  FTAP_TRY_ASSIGN(stream, path->tap(lines.fd()));
  const double cpu = path->consumer_cpu_ns();
  FTAP_TRY_ASSIGN(cost, lines.pass(order));
  FTAP_TRY_ASSIGN(ledger, path->settle(stream, order.times * kLine));
  add(figures, order, cost, path->consumer_cpu_ns() - cpu, ledger.captured / kLine);
  return {};
}

Collector::Program program(Mode mode, pid_t writer, const std::string& file) {
  const std::string pid = std::to_string(writer);
  if (mode == kStrace)
    return {"strace", {"strace", "-f", "-e", "trace=write", "-s", "200", "-o", file, "-p", pid}, {}, file};
  const std::string script = "tracepoint:syscalls:sys_enter_write /pid == " + pid +
                             "/ { printf(\"%s\", str(args->buf, args->count)); }";
  return {"bpftrace", {"bpftrace", "-o", file, "-e", script}, {"BPFTRACE_STRLEN=200"}, file};
}

Status pass_peer(Mode mode, LinePipe& lines, const Order& order, const std::string& file, Figures& figures) {
  FTAP_TRY_ASSIGN(peer, Collector::start(program(mode, lines.writer(), file), lines));
  const double cpu = peer->cpu_ns();
  FTAP_TRY_ASSIGN(cost, lines.pass(order));
  FTAP_TRY(peer->settle());
  const double used = peer->cpu_ns() - cpu;
  FTAP_TRY_ASSIGN(shown, peer->end());
  if (shown > order.times - 1)
    return fail(std::string(kNames.at(mode)) + " shows more lines than were written");
  add(figures, order, cost, used, shown + 1);  // number 0 is not counted, and taken to be there
  return {};
}

Status pass(Mode mode, LinePipe& lines, const Order& order, Figures& figures) {
  if (mode == kNothing) {
    FTAP_TRY_ASSIGN(cost, lines.pass(order));
    add(figures, order, cost, 0, order.times);
    return {};
  }
  if (mode == kFlowtap) return pass_flowtap(lines, order, figures);
  std::string dir = "/dev/shm/flowtap-bench-XXXXXX";
  if (::mkdtemp(dir.data()) == nullptr) return fail_errno(errno, "cannot make " + dir);
  const Status passed = pass_peer(mode, lines, order, dir + "/lines", figures);
  std::error_code ignored;
  std::filesystem::remove_all(dir, ignored);
  return passed;
}

void print(const std::array<Figures, kModes>& figures) {
  print_row("nothing attached, wall", figures[kNothing].wall, "ns per write");
  print_row("nothing attached, writer", figures[kNothing].writer, "ns of CPU per write");
  print_row("nothing attached, reader", figures[kNothing].reader, "ns of CPU per line");
  for (std::size_t mode = kFlowtap; mode < kModes; ++mode) {
    const Figures& f = figures.at(mode);
    const std::string name(kNames.at(mode));
    print_added(name + ", wall, added", f.wall, figures[kNothing].wall, "ns per write");
    print_added("- writer, added", f.writer, figures[kNothing].writer, "ns of CPU per write",
                mode == kFlowtap ? "200" : "");
    print_added("- reader, added", f.reader, figures[kNothing].reader, "ns of CPU per line");
    print_row("- itself", f.collector, "CPU s per million lines");
    print_row("- missed", fmt::format("{} of {}", f.written - f.captured, f.written), "lines",
              mode == kFlowtap ? "0" : "");
  }
}

Status run() {
  FTAP_TRY(kernel::check_bpf_requirements());
  FTAP_TRY_ASSIGN(lines, LinePipe::start(kShimRead));
  std::array<Figures, kModes> flat_out;
  std::array<Figures, kModes> slow;
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < kModes; ++i) {
      const auto mode = static_cast<Mode>(i);
      FTAP_TRY(pass(mode, *lines, {.times = kFlatOut.at(i), .per_second = 0}, flat_out.at(i)));
      FTAP_TRY(pass(mode, *lines, {.times = kSlow, .per_second = kSlowly}, slow.at(i)));
    }
  print_section("the same lines to flowtap, bpftrace and strace, flat out");
  print(flat_out);
  print_section("the same, 20,000 lines a second");
  print(slow);
  if (flat_out[kFlowtap].captured != flat_out[kFlowtap].written ||
      slow[kFlowtap].captured != slow[kFlowtap].written)
    return fail("flowtap lost lines");
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main() {
  return flowtap::bench::finish(flowtap::bench::run());
}
