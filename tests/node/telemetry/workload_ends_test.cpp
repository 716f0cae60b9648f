// What workloads used up to their end, of which none was looked at by a cycle while it was there: the collector, with the
// kernel's own events, files and networks.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "kernel/node_usage.hpp"
#include "telemetry/workloads/cgroup_files.hpp"
#include "telemetry/workloads/workload_collector.hpp"
#include "tests/bpf/accounted.hpp"
#include "tests/support/cgroup.hpp"

namespace flowtap::test {
namespace {

using namespace std::chrono_literals;
using stats::StatId;
using telemetry::CgroupCounter;
using telemetry::CgroupValues;

// As long as runtimes and systemd take to remove what is left of one that has ended, at least.
constexpr auto kRemoval = 50ms;

// A cgroup is of the workload that its path begins with.
class Paths final : public telemetry::CgroupNames {
 public:
  [[nodiscard]] telemetry::CgroupNaming name(std::uint64_t /*id*/, const std::string& path) override {
    const std::string top = path.substr(0, path.find('/', 1));
    return {.name = {.kind = telemetry::WorkloadKind::kContainer,
                     .ns = {},
                     .pod = {},
                     .container = top.substr(1),
                     .workload = {}},
            .complete = true,
            .top = top.size() > 1 ? top : std::string()};
  }
  [[nodiscard]] Status walk(const std::function<void(std::uint64_t, std::string)>& /*see*/) override {
    return {};
  }
  [[nodiscard]] bool has_processes(const std::string& /*path*/) override { return false; }
};

std::unique_ptr<telemetry::CgroupFileSource> files() {
  return telemetry::CgroupFileSource::open_below("/sys/fs/cgroup");
}

class WorkloadEnds : public testing::Test {
 protected:
  WorkloadEnds() {
    auto watch = kernel::CgroupWatch::start();
    if (!watch) throw std::runtime_error(watch.error().what);
    collector_ = std::make_unique<telemetry::WorkloadCollector>(
        std::make_unique<kernel::NodeUsage>(live_.usage().value(), std::move(*watch)),
        std::make_unique<Paths>(), files(), "/proc", "/sys", std::make_shared<telemetry::UsageBoard>(),
        std::make_shared<telemetry::ProcessBoard>(), std::make_shared<telemetry::ContainerEnds>(), 1h);
    collect();
  }
  void collect() {
    now_ = {};
    collector_->collect(now_);
  }
  // Of the workload, over all devices.
  [[nodiscard]] double sum(StatId id, const std::string& name) const {
    double sum = 0;
    for (const stats::Series& series : now_.series) {
      if (series.stat->id != id || series.labels[3] != name) continue;
      if (const auto* count = std::get_if<std::uint64_t>(&series.value)) sum += static_cast<double>(*count);
      if (const auto* seconds = std::get_if<double>(&series.value)) sum += *seconds;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t unread() const { return now_.unread; }

 private:
  kernel::DispatchLive live_ = attach_usage();
  std::unique_ptr<telemetry::WorkloadCollector> collector_;
  telemetry::Collected now_;
};

// As runtimes make one in the hierarchies of v1, too, where the node has them.
class InV1 {
 public:
  explicit InV1(const std::string& name) {
    for (const char* controller : {"blkio", "memory"}) {
      const std::string root = std::string("/sys/fs/cgroup/") + controller;
      if (!std::filesystem::exists(root + "/cgroup.procs")) continue;
      paths_.push_back(root + '/' + name);
      std::filesystem::create_directories(paths_.back());
    }
  }
  ~InV1() {
    for (const std::string& path : paths_)
      for (int i = 0; i < 200 && ::rmdir(path.c_str()) != 0 && errno == EBUSY; ++i) ::usleep(10'000);
  }
  InV1(const InV1&) = delete;
  InV1& operator=(const InV1&) = delete;
  void join() const {
    for (const std::string& path : paths_) std::ofstream(path + "/cgroup.procs") << ::getpid() << std::flush;
  }

 private:
  std::vector<std::string> paths_;
};

// To the disk, if there is one below.
void write_directly(std::size_t bytes) {
  constexpr std::size_t kBlock = 4096;
  const std::unique_ptr<void, decltype(&::free)> block(std::aligned_alloc(kBlock, bytes), ::free);
  std::memset(block.get(), 1, bytes);
  const std::string path = "/var/tmp/flowtap-ends-" + std::to_string(::getpid());
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_DIRECT | O_CLOEXEC, 0600));
  ::unlink(path.c_str());
  (void)!::write(file.get(), block.get(), bytes);
}

// Of a process that is no first one of a PID namespace: a systemd unit, and a container that has the node's or another's.
TEST_F(WorkloadEnds, WhereNoContainerEndsTheLastProcessTellsThatAllIsOver) {
  const std::string name = "flowtap-ends.service";
  CgroupValues last;
  std::uint64_t unread_here = 0;
  {
    const InV1 v1(name);
    const ScratchCgroup cgroup(name + "/inner");
    const pid_t child = ::fork();
    if (child == 0) {
      cgroup.join();
      v1.join();
      spin(200ms);
      write_directly(std::size_t{1} << 20U);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    std::this_thread::sleep_for(kRemoval);
    ASSERT_TRUE(files()->open('/' + name, unread_here)->read(last, unread_here));
  }
  collect();
  const double seconds = static_cast<double>(last[CgroupCounter::kCpuUser].value_or(0) +
                                             last[CgroupCounter::kCpuSystem].value_or(0)) *
                         1e-9;
  const double ours = sum(StatId::kWORKLOAD_CPU_USER, name) + sum(StatId::kWORKLOAD_CPU_SYSTEM, name);
  fmt::print("the kernel's last: {:.6f} s of CPU, ours {:.6f} s\n", seconds, ours);
  EXPECT_GE(seconds, 0.2);
  // A process has left its cgroup a moment before it has run for the last time.
  EXPECT_NEAR(ours, seconds, 2e-3);
  const auto faults = static_cast<double>(last[CgroupCounter::kPageFaults].value_or(0));
  fmt::print("the kernel's last: {:.0f} page faults\n", faults);
  EXPECT_EQ(sum(StatId::kWORKLOAD_PAGE_FAULTS, name), faults);
  // Of v1 nothing unless somebody has set a limit on the device.
  double written = 0;
  if (last.io)
    for (const auto& [device, io] : *last.io)
      written += static_cast<double>(io[telemetry::IoCounter::kWrittenBytes].value_or(0));
  fmt::print("the kernel's last: {:.0f} bytes written\n", written);
  EXPECT_EQ(sum(StatId::kWORKLOAD_IO_WRITTEN, name), written);
  EXPECT_EQ(unread() + unread_here, 0U);
}

}  // namespace
}  // namespace flowtap::test
