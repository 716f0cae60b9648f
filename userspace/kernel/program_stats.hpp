// What the kernel knows about a loaded BPF program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace flowtap::kernel {

/// Totals since the program was loaded.
struct ProgramStats {
  std::string name;
  bool attached = false;               ///< the kernel has the link that leads events to it
  std::uint64_t recursion_misses = 0;  ///< events skipped because it was already running on that CPU
  std::optional<std::uint64_t> runs;   ///< absent while kernel.bpf_stats_enabled is 0
  std::optional<std::uint64_t> run_nanoseconds;  ///< likewise
};

/// bpf_prog_info of one program, and whether `link_fd` (-1: none) is a link to it. Run time and count are
/// absent unless the kernel keeps them now.
[[nodiscard]] Result<ProgramStats> read_program_stats(const std::string& name, int program_fd, bool run_stats,
                                                      int link_fd = -1);

/// Whether the kernel keeps run time and count (sysctl kernel.bpf_stats_enabled).
[[nodiscard]] bool run_stats_enabled();

}  // namespace flowtap::kernel
