#include "telemetry/energy/cpu_time.hpp"

#include <array>
#include <limits>

#include "base/file.hpp"
#include "telemetry/fields.hpp"

namespace flowtap::telemetry {
namespace {

// USER_HZ, which is 100 for all architectures but those of long ago (include/asm-generic/param.h).
constexpr std::uint64_t kTick = 10'000'000;
constexpr std::size_t kLongest = 16U << 20U;  // a line for each CPU, and one with all interrupts

}  // namespace

std::optional<CpuTime> parse_cpu_time(std::string_view stat) {
  std::string_view line = next_line(stat);
  if (next_word(line) != "cpu") return std::nullopt;
  // user nice system idle iowait irq softirq
  std::array<std::uint64_t, 7> ns{};
  for (std::uint64_t& field : ns) {
    const auto ticks = whole_number(next_word(line));
    if (!ticks || *ticks > std::numeric_limits<std::uint64_t>::max() / kTick / ns.size()) return std::nullopt;
    field = *ticks * kTick;
  }
  return CpuTime{.busy = ns[0] + ns[1] + ns[2] + ns[5] + ns[6], .idle = ns[3] + ns[4]};
}

std::optional<CpuTime> read_cpu_time(const std::string& proc, std::uint64_t& unread) {
  const auto text = read_file(proc + "/stat", kLongest);
  const auto time = text ? parse_cpu_time(*text) : std::nullopt;
  if (!time) ++unread;
  return time;
}

}  // namespace flowtap::telemetry
