// The configuration of flowtapd: one struct with the defaults, read from YAML and overridden by flags.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/api_options.hpp"
#include "api/socket_path.hpp"
#include "base/result.hpp"
#include "count/count_options.hpp"
#include "explain/explain_options.hpp"
#include "stats/backends/outlet_options.hpp"
#include "stream/stream_options.hpp"
#include "telemetry/telemetry_options.hpp"

namespace flowtap {

enum class LogLevel : std::uint8_t { kError, kWarn, kInfo, kDebug };

/// Plain values; each key with its meaning, default and what it accepts is a row of config_keys.cpp.
struct Config {
  std::string state_dir{api::kDefaultStateDir};
  std::string host_root = "/";
  std::chrono::milliseconds cycle{1000};
  LogLevel log_level = LogLevel::kInfo;

  CountOptions count;

  std::string scheduler{kNoScheduler};

  StreamOptions stream;

  ExplainOptions explain;

  TelemetryOptions telemetry;

  stats::OutletOptions outlets;

  struct Metrics {
    std::uint64_t max_series_per_family = 10'000;
    bool operator==(const Metrics&) const = default;
  } metrics;

  ApiOptions api;

  bool operator==(const Config&) const = default;
};

inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20U;

/// Reads the file, at most kMaxConfigBytes. An error is one sentence that begins with "FILE:LINE: ".
[[nodiscard]] Result<Config> load_config(const std::string& path);

/// The same for text that is already in memory; errors call it `name`.
[[nodiscard]] Result<Config> parse_config(std::string_view yaml, std::string_view name);

/// Sets one key from a flag's text. `given_as` is what the error calls it ("--cycle").
[[nodiscard]] Status set_config_value(Config& config, std::string_view key, std::string_view value,
                                      std::string_view given_as);

/// The meaning of a key and what it accepts, as two lines for --help.
[[nodiscard]] std::string describe_config_key(std::string_view key);

/// A complete, commented YAML file with the values of `config`; parse_config() gives `config` back.
[[nodiscard]] std::string render_config(const Config& config);

}  // namespace flowtap
