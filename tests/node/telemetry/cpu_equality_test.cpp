// All CPU time there was == what all workloads used, interrupts, idle and stolen time, while processes live for a millisecond
// each. Beside it stands what somebody sees who reads /proc every few seconds.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "tests/bpf/accounted.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kTime = 20s;
constexpr auto kSampling = 5s;
constexpr const char* kCpu = "flowtap_workload_cpu_seconds_total";

std::string id_of(char digit) {
  return std::string(64, digit);
}

// Runs in a child. One process after the other lives for a millisecond, until the other end of the pipe is closed. `lives` counts
// them.
void fork_until_closed(int told, std::atomic<std::uint64_t>& lives) {
  pollfd end{told, POLLIN, 0};
  while (::poll(&end, 1, 0) == 0) {
    const pid_t child = ::fork();
    if (child == 0) {
      spin(1ms);
      ::_exit(0);
    }
    if (child > 0 && ::waitpid(child, nullptr, 0) == child) ++lives;
  }
}

// In a page that children share.
std::atomic<std::uint64_t>& shared_count() {
  using Count = std::atomic<std::uint64_t>;
  void* const page =
      ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("no shared page");
  return *new (page) Count(0);
}

// Two of these have a cgroup as Docker makes it. The others are in the test's own.
class Forkers {
 public:
  Forkers() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const Fd told(ends[0]);
    go_on_ = Fd(ends[1]);
    for (const ScratchCgroup* cgroup :
         std::initializer_list<const ScratchCgroup*>{&a_, &b_, nullptr, nullptr}) {
      const pid_t child = ::fork();
      if (child == 0) {
        go_on_.reset();
        if (cgroup != nullptr) cgroup->join();
        fork_until_closed(told.get(), lives_);
        ::_exit(0);
      }
      children_.push_back(child);
    }
  }
  ~Forkers() {
    end();
    ::munmap(&lives_, sizeof lives_);
  }
  Forkers(const Forkers&) = delete;
  Forkers& operator=(const Forkers&) = delete;
  // Returns when none is left.
  void end() {
    go_on_.reset();
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
    children_.clear();
  }
  // How many processes have lived and ended.
  [[nodiscard]] std::uint64_t lives() const { return lives_; }
  [[nodiscard]] const ScratchCgroup& a() const { return a_; }
  [[nodiscard]] const ScratchCgroup& b() const { return b_; }

 private:
  ScratchCgroup a_{"docker/" + id_of('a')};
  ScratchCgroup b_{"docker/" + id_of('b')};
  Fd go_on_;
  std::vector<pid_t> children_;
  std::atomic<std::uint64_t>& lives_ = shared_count();
};

// User and system time of each process there is, as an exporter reads them.
class Sampler {
 public:
  void look() {
    std::map<std::string, std::uint64_t> now;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream file(entry.path() / "stat");
      std::string text;
      if (!std::getline(file, text) || !text.contains(')')) continue;
      std::istringstream fields(text.substr(text.rfind(')') + 1));
      std::string skipped;
      for (int i = 0; i < 11; ++i) fields >> skipped;
      std::uint64_t user = 0;
      std::uint64_t system = 0;
      if (!(fields >> user >> system)) continue;
      now[name] = user + system;
    }
    for (const auto& [pid, ticks] : now) {
      const auto before = seen_.find(pid);
      if (before != seen_.end())
        ticks_ += ticks > before->second ? ticks - before->second : 0;
      else if (looked_)
        ticks_ += ticks;
    }
    looked_ = true;
    seen_ = std::move(now);
  }
  [[nodiscard]] double seconds() const {
    return static_cast<double>(ticks_) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }

 private:
  std::map<std::string, std::uint64_t> seen_;
  std::uint64_t ticks_ = 0;
  bool looked_ = false;
};

double of_workloads(const Stats& stats) {
  double sum = 0;
  for (const auto& [key, value] : stats.series)
    if (key.starts_with(kCpu)) sum += value;
  return sum;
}
double of_mode(const Stats& stats, const std::string& mode) {
  double sum = 0;
  for (const auto& [key, value] : stats.series)
    if (key.starts_with("flowtap_node_cpu_seconds_total") && key.contains('"' + mode + '"')) sum += value;
  return sum;
}
// The modes of time that are in no workload.
constexpr std::array kModes = {"irq", "softirq", "steal", "idle", "iowait"};

// How much CPU time a page has beyond what has passed on the node's clock. Both count from some time on.
double beyond_clock(const Stats& stats) {
  double sum = of_workloads(stats) - stats.time * static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  for (const char* mode : kModes) sum += of_mode(stats, mode);
  return sum;
}

// The cycle of an odd number of them whose sum is the median. On a busy machine the collectors of a cycle may read long after it
// began, each at another time.
Stats middle_of_cycles(const Daemon& daemon) {
  constexpr std::size_t kCycles = 7;
  std::vector<Stats> all;
  while (all.size() < kCycles) {
    Stats now = daemon.stats();
    if (all.empty() || now.cycle != all.back().cycle)
      all.push_back(std::move(now));
    else
      std::this_thread::sleep_for(100ms);
  }
  std::ranges::nth_element(all, all.begin() + kCycles / 2, {}, beyond_clock);
  return all.at(kCycles / 2);
}

double of_container(const Stats& stats, char digit) {
  for (const auto& [key, value] : stats.series)
    if (key.starts_with(kCpu) && key.contains('"' + id_of(digit).substr(0, 12) + '"')) return value;
  return 0;
}

TEST(CpuEquality, AllOfThousandsOfShortLives) {
  const ScratchRoot root;
  // If a look is cut off, the rest is told a cycle later, and would look like time that was lost.
  Daemon daemon(root, {.config = "telemetry: {time_limit: 5s}"});
  daemon.wait_ready();
  Forkers forkers;
  // Nobody has a name for these two but their ids. Until that is sure, what they use is withheld.
  EXPECT_TRUE(eventually([&] {
    const Stats stats = daemon.stats();
    return of_container(stats, 'a') > 0 && of_container(stats, 'b') > 0;
  }));
  const Stats before = middle_of_cycles(daemon);
  Sampler sampler;
  sampler.look();
  const auto end = Clock::now() + kTime;
  while (Clock::now() < end) {
    std::this_thread::sleep_for(kSampling);
    sampler.look();
  }
  const Stats after = middle_of_cycles(daemon);

  const double all = (after.time - before.time) * static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  const double tasks = of_workloads(after) - of_workloads(before);
  double sum = tasks;
  std::string parts;
  for (const char* mode : kModes) {
    const double part = of_mode(after, mode) - of_mode(before, mode);
    sum += part;
    parts += fmt::format(", {} {:.3f}", mode, part);
  }
  fmt::print(
      "{:.3f} s of CPUs: workloads {:.3f}{}: {:.3f} s, {:+.3f} %; a sampler of /proc saw {:.3f} s of the "
      "{:.3f}\n",
      all, tasks, parts, sum, 100 * (sum - all) / all, sampler.seconds(), tasks);
  // A kernel may charge tasks with a part of what a hypervisor stole: it measures both by different clocks.
  const double stolen = of_mode(after, "steal") - of_mode(before, "steal");
  EXPECT_GE(sum, 0.99 * all);
  EXPECT_LE(sum - stolen, 1.01 * all);
  EXPECT_GT(tasks, 0.2 * all) << "the load was too small to tell";
  EXPECT_GT(forkers.lives(), 1000U) << "the load was not of short lives";

  forkers.end();
  (void)daemon.settled_stats();
  for (const auto& known : {std::pair('a', &forkers.a()), std::pair('b', &forkers.b())}) {
    const char digit = known.first;
    const ScratchCgroup* const cgroup = known.second;
    const double kernels = static_cast<double>(charged_ns(cgroup->path())) * 1e-9;
    double ours = 0;
    const auto near = [&] {
      ours = of_container(daemon.stats(), digit);
      return std::abs(ours - kernels) <= 0.01 * kernels;
    };
    EXPECT_TRUE(eventually(near));
    fmt::print("{}: the kernel charged {:.6f} s, we counted {:.6f} s\n", cgroup->path(), kernels, ours);
  }
}

}  // namespace
}  // namespace flowtap::test
