// A container's lines on their way from its write to its flow's file, and to a person who follows them: measures what
// flowtapd uses for a million of them, and how old they are when they are shown. Compares this with rsyslog's imfile,
// which copies the runtime's file, and with tail -F after either. bench_flow_path [1000|20000|flat|rotate]
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "tests/support/paths/paths.hpp"
#include "tools/bench/load/line_pipe.hpp"
#include "tools/bench/load/pod_writer.hpp"
#include "tools/bench/measure/figures.hpp"
#include "tools/bench/measure/flowtapd.hpp"
#include "tools/bench/measure/line_reader.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 3;
constexpr auto kPatience = 20s;    // how long to wait for a collector or follower that gets no more lines
constexpr auto kFlushed = 1500ms;  // flowtapd writes its files when a flow has been idle for a second

enum Mode : std::size_t { kFlowtap, kFlowtapLogs, kRsyslog, kRsyslogTail, kTail, kModes };
constexpr std::array<const char*, kModes> kNames{
    "flowtapd: flow file", "flowtapd: flow file, and flowtap logs -f", "rsyslog imfile: file",
    "rsyslog imfile: file, and tail -F of it", "tail -F of the runtime's file"};
constexpr bool has_follower(Mode mode) {
  return mode == kFlowtapLogs || mode == kRsyslogTail || mode == kTail;
}

struct Load {
  const char* name;  ///< as an argument
  const char* what;
  Order order;
  std::array<const char*, 2> cpu_goals;  ///< for flowtapd without and with a follower
  const char* p50_goal;
  const char* p99_goal;
  std::uint64_t rotated_at = 0;  ///< bytes of the runtime's file; 0: it is not rotated
};
constexpr Load kLoads[] = {
    {"1000", "1,000 lines a second", {.times = 10'000, .per_second = 1'000}, {"", "20"}, "0.2", "2"},
    {"20000", "20,000 lines a second", {.times = 200'000, .per_second = 20'000}, {"0.8", "1.6"}, "1", "5"},
    {"flat", "flat out", {.times = 1'000'000, .per_second = 0}, {"0.25", ""}, "5", "100"},
    {"rotate",
     "flat out, the runtime's file rotated at 10 MiB",
     {.times = 1'000'000, .per_second = 0},
     {"0.25", ""},
     "5",
     "100",
     10U << 20U},
};

struct Figures {
  Rounds cpu;  ///< CPU s per million lines
  Rounds per_second;
  Rounds p50;
  Rounds p99;
  std::uint64_t written = 0;
  std::uint64_t missed = 0;
  std::uint64_t twice = 0;
};

/// The program that brings the lines to a file.
class Taker {
 public:
  virtual ~Taker() = default;
  [[nodiscard]] virtual Result<std::uint64_t> lines() const = 0;  ///< the lines that have reached the file
  [[nodiscard]] virtual Result<double> cpu_ns() const = 0;
  [[nodiscard]] virtual Result<std::vector<std::string>> follower() const = 0;
};

class FlowtapdTaker final : public Taker {
 public:
  explicit FlowtapdTaker(const test::ScratchRoot& root) : root_(root), daemon_(root) {}
  [[nodiscard]] Status wait_ready() { return daemon_.wait_ready(); }
  [[nodiscard]] Result<std::uint64_t> lines() const override {
    FTAP_TRY_ASSIGN(totals, daemon_.totals(PodCgroups::kIdStart));
    if (totals.missing != 0) return fail(fmt::format("flowtapd misses {} bytes", totals.missing));
    return totals.lines;
  }
  [[nodiscard]] Result<double> cpu_ns() const override { return process_cpu_ns(daemon_.pid()); }
  [[nodiscard]] Result<std::vector<std::string>> follower() const override {
    FTAP_TRY_ASSIGN(ids, daemon_.ids(PodCgroups::kIdStart));
    if (ids.empty()) return fail("flowtapd does not know the pod");
    return std::vector<std::string>{paths::flowtap(), "--state-dir", root_.file("state"),
                                    "logs",           "-f",          ids.front()};
  }

 private:
  const test::ScratchRoot& root_;
  Flowtapd daemon_;
};

class RsyslogTaker final : public Taker {
 public:
  RsyslogTaker(const test::ScratchRoot& root, const std::string& cri_file)
      : file_(root.file("rsyslog.out")),
        process_({.argv = {"/usr/sbin/rsyslogd", "-n", "-i", root.file("rsyslog.pid"), "-f",
                           root.write(
                               "rsyslog.conf",
                               fmt::format("global(workDirectory=\"{}\")\n"
                                           "module(load=\"imfile\" mode=\"inotify\")\n"
                                           "template(name=\"raw\" type=\"string\" string=\"%msg%\\n\")\n"
                                           "ruleset(name=\"out\") {{ action(type=\"omfile\" file=\"{}\" "
                                           "template=\"raw\") }}\n"
                                           "input(type=\"imfile\" file=\"{}\" tag=\"pod\" ruleset=\"out\")\n",
                                           root.path(), file_, cri_file))},
                  .out = root.file("rsyslog.said"),
                  .err = root.file("rsyslog.said")}) {}
  // All lines have the same length, and the CRI's head of 40 bytes.
  [[nodiscard]] Result<std::uint64_t> lines() const override {
    std::error_code none;
    const auto size = std::filesystem::file_size(file_, none);
    return none ? 0 : size / (kLine + kCriHead);
  }
  [[nodiscard]] Result<double> cpu_ns() const override { return process_cpu_ns(process_.pid()); }
  [[nodiscard]] Result<std::vector<std::string>> follower() const override {
    return std::vector<std::string>{"tail", "-n", "+1", "-F", file_};
  }

 private:
  static constexpr std::size_t kCriHead = std::string_view("2026-11-21T00:00:00.000000000Z stdout F ").size();
  std::string file_;
  test::Process process_;
};

/// No program: the runtime's own file is followed.
class NoTaker final : public Taker {
 public:
  NoTaker(const PodWriter& pod, std::string cri_file) : pod_(pod), cri_file_(std::move(cri_file)) {}
  [[nodiscard]] Result<std::uint64_t> lines() const override { return pod_.lines(); }
  [[nodiscard]] Result<double> cpu_ns() const override { return 0.0; }
  [[nodiscard]] Result<std::vector<std::string>> follower() const override {
    return std::vector<std::string>{"tail", "-n", "+1", "-F", cri_file_};
  }

 private:
  const PodWriter& pod_;
  std::string cri_file_;
};

bool comes_to(std::uint64_t wanted, const std::function<std::uint64_t()>& now) {
  std::uint64_t there = now();
  for (auto since = std::chrono::steady_clock::now(); there < wanted;) {
    std::this_thread::sleep_for(20ms);
    const std::uint64_t next = now();
    if (std::exchange(there, next) != next) since = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - since > kPatience) return false;
  }
  return true;
}

Result<double> used_ns(const Taker& taker, const LineReader* reader) {
  FTAP_TRY_ASSIGN(used, taker.cpu_ns());
  if (reader == nullptr) return used;
  FTAP_TRY_ASSIGN(readers, process_cpu_ns(reader->pid()));
  return used + readers;
}

Status pass(Mode mode, const Load& load, Figures& figures) {
  const test::ScratchRoot root;
  std::string dir = "/dev/shm/flowtap-bench-XXXXXX";
  if (::mkdtemp(dir.data()) == nullptr) return fail_errno(errno, "cannot make " + dir);
  const std::shared_ptr<void> removed(nullptr, [&dir](void*) {
    std::error_code ignored;
    std::filesystem::remove_all(dir, ignored);
  });
  const std::string cri_file = dir + "/0.log";
  std::unique_ptr<FlowtapdTaker> flowtapd;
  if (mode == kFlowtap || mode == kFlowtapLogs) {
    flowtapd = std::make_unique<FlowtapdTaker>(root);
    FTAP_TRY(flowtapd->wait_ready());
  }
  FTAP_TRY_ASSIGN(pod, PodWriter::start(cri_file, load.rotated_at));
  std::unique_ptr<Taker> taker = std::move(flowtapd);
  if (mode == kRsyslog || mode == kRsyslogTail) taker = std::make_unique<RsyslogTaker>(root, cri_file);
  if (mode == kTail) taker = std::make_unique<NoTaker>(*pod, cri_file);

  // One line in advance shows that everything is ready.
  FTAP_TRY(pod->pass({.times = 1}));
  const auto taken = [&taker] { return taker->lines().value_or(0); };
  if (!comes_to(1, taken))
    return fail(std::string(kNames.at(mode)) + " takes no line", "tools/setup proof installs it");
  std::unique_ptr<LineReader> reader;
  if (has_follower(mode)) {
    FTAP_TRY_ASSIGN(words, taker->follower());
    FTAP_TRY_ASSIGN(started, LineReader::start(words, root.file("reader.err"), 1));
    reader = std::move(started);
    if (!comes_to(1, [&reader] { return reader->lines(); })) return fail("a follower gets no line");
  }

  FTAP_TRY_ASSIGN(before, used_ns(*taker, reader.get()));
  const auto begin = std::chrono::steady_clock::now();
  FTAP_TRY(pod->pass(load.order));
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const bool all = comes_to(pod->lines(), taken) &&
                   (!reader || comes_to(pod->lines(), [&reader] { return reader->lines(); }));
  if (mode == kFlowtap || mode == kFlowtapLogs) std::this_thread::sleep_for(kFlushed);
  FTAP_TRY_ASSIGN(after, used_ns(*taker, reader.get()));
  const auto lines = static_cast<double>(load.order.times);
  figures.cpu.add((after - before) / 1e9 / (lines / 1e6));
  figures.per_second.add(lines / wall.count());
  figures.written += load.order.times;
  FTAP_TRY_ASSIGN(reached, taker->lines());
  if (!all) figures.missed += pod->lines() - reached;
  if (reader) {
    figures.p50.add(reader->age_ms(0.5));
    figures.p99.add(reader->age_ms(0.99));
    figures.missed += pod->lines() - reader->lines();
    figures.twice += reader->twice();
  }
  return {};
}

void print(Mode mode, const Load& load, const Figures& f) {
  const bool ours = mode == kFlowtap || mode == kFlowtapLogs;
  print_row(kNames.at(mode), f.cpu, "CPU s per million lines",
            ours ? load.cpu_goals.at(has_follower(mode)) : "");
  if (load.order.per_second == 0) print_row("- lines", f.per_second, "per second", ours ? "1000000" : "");
  if (has_follower(mode)) {
    print_row("- age of a line that is shown, p50", f.p50, "ms", ours ? load.p50_goal : "");
    print_row("- p99", f.p99, "ms", ours ? load.p99_goal : "");
  }
  print_row("- missed, and twice", fmt::format("{} and {} of {}", f.missed, f.twice, f.written), "lines",
            ours ? "0" : "");
}

Status run(std::string_view only) {
  for (const Load& load : kLoads) {
    if (!only.empty() && only != load.name) continue;
    std::array<Figures, kModes> figures;
    for (int round = 0; round < kRounds; ++round)
      for (std::size_t mode = 0; mode < kModes; ++mode)
        FTAP_TRY(pass(static_cast<Mode>(mode), load, figures.at(mode)));
    print_section(fmt::format("a container's lines of 100 B, {}, {} rounds of {} lines", load.what, kRounds,
                              load.order.times));
    for (std::size_t mode = 0; mode < kModes; ++mode) print(static_cast<Mode>(mode), load, figures.at(mode));
    if (figures[kFlowtap].missed + figures[kFlowtapLogs].missed + figures[kFlowtapLogs].twice != 0)
      return fail("flowtap lost lines");
  }
  return {};
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  flowtap::bench::PodWriter::be_one(argc, argv);
  try {
    return flowtap::bench::finish(flowtap::bench::run(argc > 1 ? argv[1] : ""));
  } catch (const std::exception& e) {
    return flowtap::bench::finish(flowtap::fail(e.what()));
  }
}
