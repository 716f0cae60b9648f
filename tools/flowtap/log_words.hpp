// What was typed behind "flowtap logs", and what it means.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "tools/flowtap/logs/logs.hpp"

namespace flowtap::cli {

/// As it was typed.
struct LogWords {
  LogsOptions options = {};
  std::string ns;
  std::string unit;            ///< as journalctl has it: the NAME of a service
  std::string container_word;  ///< as kubectl has it: the container behind the pod
  bool prefix = false;
  std::optional<std::string> tail;
  std::optional<std::string> since;
  std::optional<std::string> since_time;
  std::uint64_t limit_bytes = 0;  ///< 0: no limit, as for kubectl
};

/// What is meant by it `now`. An Error says what is wrong, and what to type instead.
[[nodiscard]] Result<LogsOptions> logs_options(LogWords words, std::chrono::system_clock::time_point now);

}  // namespace flowtap::cli
