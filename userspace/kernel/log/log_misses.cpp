#include "kernel/log/log_misses.hpp"

#include <algorithm>

#include "kernel/log/log_hooks.hpp"

namespace flowtap::kernel {

std::optional<LogMisses> count_misses(const std::vector<Result<ProgramStats>>& programs) {
  LogMisses misses;
  for (const auto& program : programs) {
    if (!program) return std::nullopt;
    const bool has_second = std::ranges::any_of(
        programs, [&](const auto& other) { return other && other->name == second_of(program->name); });
    (has_second ? misses.passed : misses.unseen) += program->recursion_misses;
  }
  return misses;
}

}  // namespace flowtap::kernel
