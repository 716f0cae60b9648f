// What the kernel has kept from the log tap's programs, and what of it may be lost. See bpf/lib/log/second.bpf.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/program_stats.hpp"

namespace flowtap::kernel {

struct LogMisses {
  std::uint64_t unseen = 0;  ///< kept from a program that has no second one behind it
  std::uint64_t passed = 0;  ///< kept from a first program, so that they came to its second
};

/// The misses of each program, as they were last read. What cannot be read has not gone back to 0, and what never could be read has
/// no part in the sum: the misses of all others count.
class KnownMisses {
 public:
  /// LogLive::program_names() and program_stats(), which have the same order. The names tell which programs have a second one, also
  /// where its state cannot be read.
  void look(const std::vector<std::string>& names, const std::vector<Result<ProgramStats>>& programs);

  [[nodiscard]] const LogMisses& sum() const { return sum_; }
  /// Whether any program's state was ever read.
  [[nodiscard]] bool any() const { return !misses_.empty(); }

 private:
  std::map<std::string, std::uint64_t> misses_;  // by the program's name
  LogMisses sum_;
};

/// From LogLive::program_stats(). Nothing where the state of a program cannot be read.
[[nodiscard]] std::optional<LogMisses> count_misses(const std::vector<Result<ProgramStats>>& programs);

}  // namespace flowtap::kernel
