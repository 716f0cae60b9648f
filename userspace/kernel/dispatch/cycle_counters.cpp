#include "kernel/dispatch/cycle_counters.hpp"

#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/node/cpu_list.hpp"

namespace flowtap::kernel {
namespace {

Fd open_on(unsigned cpu, CycleEvent event) {
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = event.type;
  attr.config = event.config;
  // The counter never takes turns with other events: it counts all the time, or cannot be read.
  attr.pinned = 1;
  constexpr pid_t kEveryTask = -1;
  constexpr int kNoGroup = -1;
  return Fd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attr, kEveryTask, cpu, kNoGroup, PERF_FLAG_FD_CLOEXEC)));
}

// What perf_event_open(2) means by them.
std::string counter_hint(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "start flowtapd as root or with CAP_PERFMON; a container's seccomp profile must allow "
             "perf_event_open";
    case EBUSY:
    case ENOSPC:
    case EINVAL:
      return "the CPU's counters are taken: end what holds them, such as perf, another profiler, or the "
             "kernel's own watchdog (sysctl kernel.nmi_watchdog=0)";
    case ENOSYS:
      return "use a kernel with CONFIG_PERF_EVENTS=y";
    default:
      return {};
  }
}

}  // namespace

CycleEvent CycleEvent::hardware() {
  return {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};
}

CycleEvent CycleEvent::clock() {
  return {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
}

Result<CycleCounters> CycleCounters::open(const Topology& topology, CycleEvent event) {
  FTAP_TRY_ASSIGN(online, parse_cpu_list(topology.online_list));
  std::vector<Fd> counters(topology.places.size());
  for (const unsigned cpu : online) {
    if (cpu >= counters.size()) continue;
    counters[cpu] = open_on(cpu, event);
    const int error = errno;
    if (counters[cpu].valid()) continue;
    // What perf_event_open(2) says about events that do not exist.
    if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
      return fail("CPU " + std::to_string(cpu) + " has no counter of cycles that can be read",
                  "on a virtual machine its host has to give it one");
    return fail_errno(error, "cannot count the cycles of CPU " + std::to_string(cpu), counter_hint(error));
  }
  return CycleCounters(std::move(counters));
}

std::optional<std::uint64_t> CycleCounters::read(std::size_t cpu) const {
  std::uint64_t value = 0;
  if (cpu >= counters_.size() || !counters_[cpu].valid()) return std::nullopt;
  // A pinned event that is not on its CPU reads as end of file.
  if (::read(counters_[cpu].get(), &value, sizeof(value)) != sizeof(value)) return std::nullopt;
  return value;
}

Status CycleCounters::give_to(int map_fd) const {
  for (std::uint32_t cpu = 0; cpu < counters_.size(); ++cpu) {
    if (!counters_[cpu].valid()) continue;
    const int fd = counters_[cpu].get();
    if (const int err = bpf_map_update_elem(map_fd, &cpu, &fd, BPF_ANY); err != 0)
      return fail_errno(-err, "BPF programs cannot read the counter of cycles of CPU " + std::to_string(cpu));
  }
  return {};
}

}  // namespace flowtap::kernel
