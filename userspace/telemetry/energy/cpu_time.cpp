#include "telemetry/energy/cpu_time.hpp"

#include <array>
#include <limits>

#include "base/file.hpp"
#include "telemetry/node/kernel_stat.hpp"

namespace flowtap::telemetry {
namespace {

// USER_HZ, which is 100 on all but long obsolete architectures (include/asm-generic/param.h).
constexpr std::uint64_t kTick = 10'000'000;
constexpr std::size_t kLongest = 16U << 20U;  // a line for each CPU, and one with all interrupts

}  // namespace

std::optional<CpuTime> parse_cpu_time(std::string_view stat) {
  const auto all = parse_kernel_stat(stat).all;
  if (!all || all->known <= kSoftirq) return std::nullopt;
  std::array<std::uint64_t, kSoftirq + 1> ns{};
  for (std::size_t mode = 0; mode < ns.size(); ++mode) {
    const std::uint64_t ticks = all->ticks.at(mode);
    if (ticks > std::numeric_limits<std::uint64_t>::max() / kTick / ns.size()) return std::nullopt;
    ns.at(mode) = ticks * kTick;
  }
  return CpuTime{.busy = ns[kUser] + ns[kNice] + ns[kSystem] + ns[kIrq] + ns[kSoftirq],
                 .idle = ns[kIdle] + ns[kIowait]};
}

std::optional<CpuTime> read_cpu_time(const std::string& proc, std::uint64_t& unread) {
  const auto text = read_file(proc + "/stat", kLongest);
  const auto time = text ? parse_cpu_time(*text) : std::nullopt;
  if (!time) ++unread;
  return time;
}

}  // namespace flowtap::telemetry
