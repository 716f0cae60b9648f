// The configuration of flowtapd: one struct with the defaults, read from YAML and overridden by flags.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/socket_path.hpp"
#include "base/result.hpp"
#include "stream/stream_options.hpp"
#include "telemetry/telemetry_options.hpp"

namespace flowtap {

enum class LogLevel : std::uint8_t { kError, kWarn, kInfo, kDebug };

/// The value of `scheduler` that stands for the kernel's own.
inline constexpr std::string_view kNoScheduler = "off";

/// Plain values; each key with its meaning, default and what it accepts is a row of config_keys.cpp.
struct Config {
  std::string state_dir{api::kDefaultStateDir};
  std::string host_root = "/";
  std::chrono::milliseconds cycle{1000};
  LogLevel log_level = LogLevel::kInfo;

  struct Count {
    bool enabled = true;
    bool operator==(const Count&) const = default;
  } count;

  std::string scheduler{kNoScheduler};

  StreamOptions stream;

  struct Explain {
    bool enabled = true;
    std::uint64_t max_pods = 1000;
    bool operator==(const Explain&) const = default;
  } explain;

  TelemetryOptions telemetry;

  struct Prometheus {
    bool enabled = false;
    std::string address = "0.0.0.0:9000";
    std::string
        compat_metrics;  ///< exporters under whose names the values are shown as well, separated by commas
    bool operator==(const Prometheus&) const = default;
  } prometheus;

  struct Report {
    bool enabled = false;
    std::chrono::milliseconds interval{1000};
    bool operator==(const Report&) const = default;
  } report;

  struct Statsd {
    bool enabled = false;
    std::string address = "udp://127.0.0.1:8125";
    bool dogstatsd_tags = false;
    std::string prefix;  ///< empty: the metrics are named as everywhere else
    std::uint64_t max_pending = 100'000;
    bool operator==(const Statsd&) const = default;
  } statsd;

  struct Spectatord {
    bool enabled = false;
    std::string address = "unix:///run/spectatord/spectatord.unix";
    std::uint64_t max_pending = 100'000;
    bool operator==(const Spectatord&) const = default;
  } spectatord;

  struct JsonLines {
    bool enabled = false;
    std::string output = "-";
    std::uint64_t max_pending = 1'000;
    bool operator==(const JsonLines&) const = default;
  } json_lines;

  struct Metrics {
    std::uint64_t max_series_per_family = 10'000;
    bool operator==(const Metrics&) const = default;
  } metrics;

  struct Api {
    std::string socket_group;
    std::uint64_t max_followers = 1024;
    std::string address;  ///< empty: no TCP
    std::string token_file;
    std::string tls_certificate;
    std::string tls_key;
    std::string kubernetes_server;  ///< empty: Kubernetes is not asked
    std::string kubernetes_ca;
    std::string kubernetes_token;
    std::uint64_t rate = 100;
    bool operator==(const Api&) const = default;
  } api;

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

/// The same file with all defaults.
[[nodiscard]] std::string sample_config();

}  // namespace flowtap
