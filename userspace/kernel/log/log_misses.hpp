// What the kernel has kept from the log tap's programs, and what of it may be lost. See bpf/lib/log_second.bpf.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "kernel/program_stats.hpp"

namespace flowtap::kernel {

struct LogMisses {
  std::uint64_t unseen = 0;  ///< kept from a program that has no second one behind it
  std::uint64_t passed = 0;  ///< kept from a first program, so that they came to its second
};

/// From LogLive::program_stats(). Nothing where the state of a program cannot be read: without its part the sum would seem to go
/// back, and the misses of the first program would seem to be nobody's without the second.
[[nodiscard]] std::optional<LogMisses> count_misses(const std::vector<Result<ProgramStats>>& programs);

}  // namespace flowtap::kernel
