#include "daemon/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>

namespace flowtap {

void open_log(LogLevel level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("flowtapd"));
  // The journal has its own time stamps. (getenv: no other thread is running yet.)
  const char* journal_stream = std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe)
  const bool journal = journal_stream != nullptr && ::isatty(STDERR_FILENO) == 0;
  spdlog::set_pattern(journal ? "%l: %v" : "%Y-%m-%dT%H:%M:%S.%e%z %l: %v");
  set_log_level(level);
}

void set_log_level(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return spdlog::set_level(spdlog::level::err);
    case LogLevel::kWarn:
      return spdlog::set_level(spdlog::level::warn);
    case LogLevel::kInfo:
      return spdlog::set_level(spdlog::level::info);
    case LogLevel::kDebug:
      return spdlog::set_level(spdlog::level::debug);
  }
}

}  // namespace flowtap
