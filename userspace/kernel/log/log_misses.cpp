#include "kernel/log/log_misses.hpp"

#include <algorithm>

#include "kernel/log/log_hooks.hpp"

namespace flowtap::kernel {

void KnownMisses::look(const std::vector<std::string>& names,
                       const std::vector<Result<ProgramStats>>& programs) {
  for (const auto& program : programs)
    if (program) misses_[program->name] = program->recursion_misses;
  sum_ = {};
  for (const auto& [name, misses] : misses_) {
    const bool has_second = std::ranges::find(names, second_of(name)) != names.end();
    (has_second ? sum_.passed : sum_.unseen) += misses;
  }
}

std::optional<LogMisses> count_misses(const std::vector<Result<ProgramStats>>& programs) {
  std::vector<std::string> names;
  for (const auto& program : programs) {
    if (!program) return std::nullopt;
    names.push_back(program->name);
  }
  KnownMisses known;
  known.look(names, programs);
  return known.sum();
}

}  // namespace flowtap::kernel
