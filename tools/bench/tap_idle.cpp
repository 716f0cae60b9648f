// What flowtapd uses while it has next to nothing to do: 110 pods that write a line a second each, all of its defaults on,
// nobody asking.
#include <fmt/core.h>
#include <sys/mount.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <ctime>
#include <exception>
#include <map>
#include <string_view>
#include <thread>

#include "base/file.hpp"
#include "tests/support/daemon_process.hpp"
#include "tests/support/scratch_root.hpp"
#include "tools/bench/figures.hpp"
#include "tools/bench/pods.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPods = 110;
constexpr int kWindows = 4;
constexpr auto kWindow = 5s;
constexpr auto kSettled = 5s;  // names are waited for no longer than 2 s

/// The number behind the first `key`; what cannot be read is an Error.
Result<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return fail("no " + std::string(key));
  text.remove_prefix(text.find_first_not_of(" \t", at + key.size()));
  std::uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{})
    return fail("no number behind " + std::string(key));
  return number;
}

Result<double> cpu_ns(pid_t pid) {
  clockid_t clock{};
  timespec t{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &t) != 0)
    return fail("flowtapd has ended");
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

Status watch(pid_t pid, const std::string& what, std::string_view cpu_goal, std::string_view memory_goal) {
  Rounds percent;
  Rounds anonymous;
  for (int i = 0; i < kWindows; ++i) {
    FTAP_TRY_ASSIGN(before, cpu_ns(pid));
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kWindow);
    FTAP_TRY_ASSIGN(after, cpu_ns(pid));
    const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - begin;
    percent.add(100 * (after - before) / wall.count());
    FTAP_TRY_ASSIGN(status, read_file(fmt::format("/proc/{}/status", pid)));
    FTAP_TRY_ASSIGN(kib, number_behind(status, "RssAnon:"));
    anonymous.add(static_cast<double>(kib) / 1024);
  }
  print_row(what, percent, "% of a core", cpu_goal);
  print_row(what, anonymous, "MiB RssAnon", memory_goal);
  return {};
}

class Flowtapd {
 public:
  explicit Flowtapd(const test::ScratchRoot& root)
      : root_(root),
        process_({.argv = {FLOWTAPD_PATH, "--host-root", root.path(), "--state-dir", root.file("state"),
                           "--config",
                           root.write("flowtap.yaml", "stream: {bpffs: " + root.file("bpffs") + "}\n")},
                  .out = root.file("out"),
                  .err = root.file("err")}) {}

  /// What `flowtap -o json ARGUMENTS` says.
  Result<std::string> ask(std::vector<std::string> arguments) const {
    const std::string file = "answer";
    (void)root_.write(file, "");
    arguments.insert(arguments.begin(), {FLOWTAP_PATH, "--state-dir", root_.file("state"), "-o", "json"});
    test::Process asked({.argv = arguments, .out = root_.file(file), .err = "/dev/null"});
    if (asked.wait() != 0) return fail("flowtap has no answer from flowtapd: " + root_.read("err"));
    return root_.read(file);
  }

  Status wait_ready() {
    if (test::eventually([this] { return ask({"status"}).has_value() || !process_.running(); }) &&
        process_.running())
      return {};
    return fail("flowtapd does not begin: " + root_.read("err"));
  }

  [[nodiscard]] pid_t pid() const { return process_.pid(); }

 private:
  const test::ScratchRoot& root_;
  test::Process process_;
};

// All flows, all bytes of each, nothing missing.
Status check(const Flowtapd& daemon, std::uint64_t written) {
  std::uint64_t flows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t missing = 0;
  const bool all = test::eventually(
      [&] {
        const auto answer = daemon.ask({"flows"});
        if (!answer) return false;
        flows = bytes = missing = 0;
        constexpr std::string_view kFlow = "\"id\":";
        const std::string own = "/" + std::string(Pods::kIdStart);
        for (auto at = answer->find(kFlow); at != std::string::npos; at = answer->find(kFlow, at + 1)) {
          const std::string_view flow = std::string_view(*answer).substr(at);
          // The machine may have other containers.
          if (flow.substr(0, flow.find(',')).find(own) == std::string_view::npos) continue;
          ++flows;
          bytes += number_behind(flow, "\"bytes\":").value_or(0);
          missing += number_behind(flow, "\"missing_bytes\":").value_or(0);
        }
        return bytes == written;
      },
      20s);
  print_row("- captured, of all that they wrote", fmt::format("{} of {}", bytes, written), "bytes", "all");
  if (!all || flows != kPods || missing != 0)
    return fail(fmt::format("flowtapd has {} flows with {} bytes, {} missing, of {} pods with {}", flows,
                            bytes, missing, kPods, written));
  return {};
}

Status run() {
  const test::ScratchRoot root;
  Flowtapd daemon(root);
  FTAP_TRY(daemon.wait_ready());
  print_section(fmt::format("flowtapd idle, {} windows of {} s", kWindows, kWindow.count()));
  std::this_thread::sleep_for(kSettled);
  FTAP_TRY(watch(daemon.pid(), "no pods", "", ""));
  FTAP_TRY_ASSIGN(pods, Pods::start(kPods));
  std::this_thread::sleep_for(kSettled);
  FTAP_TRY(watch(daemon.pid(), fmt::format("{} pods, a line a second each", kPods), "0.5", "40"));
  return check(daemon, pods->stop());
}

}  // namespace
}  // namespace flowtap::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == flowtap::bench::Pods::kArgument)
    flowtap::bench::Pods::be_one();
  try {
    return flowtap::bench::finish(flowtap::bench::run());
  } catch (const std::exception& e) {
    return flowtap::bench::finish(flowtap::fail(e.what()));
  }
}
