// flowtap top: how tasks get their CPUs, now.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "exit_code.hpp"
#include "text.hpp"

namespace flowtap::cli {

struct TopOptions {
  std::string state_dir;
  bool json = false;
  std::chrono::milliseconds interval{1000};
  std::optional<std::uint64_t> count = {};  ///< intervals to show; absent: until told to end
  Color color = Color::kAuto;
};

/// Live on a terminal, otherwise one block of lines (or one JSON object) per interval.
[[nodiscard]] ExitCode run_top(const TopOptions& options);

}  // namespace flowtap::cli
