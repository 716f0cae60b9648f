// What flowtapd is told to do: one struct with the defaults, read from YAML and overridden by flags.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/socket_path.hpp"
#include "base/result.hpp"
#include "identity/group_rules.hpp"
#include "identity/runtimes/state_directories.hpp"
#include "identity/usage_hierarchy.hpp"

namespace flowtap {

enum class LogLevel : std::uint8_t { kError, kWarn, kInfo, kDebug };

/// Of `scheduler`: the kernel's own.
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

  struct Stream {
    bool enabled = true;
    std::string backend = "auto";
    std::uint64_t ring_bytes = std::uint64_t{64} << 20U;
    std::uint64_t flows_bytes = std::uint64_t{64} << 20U;
    std::uint64_t journal_bytes = std::uint64_t{32} << 20U;  ///< at most max_journal_bytes() of flows_bytes
    /// How the flows' lines are kept in what the journal leaves of flows_bytes.
    struct Flows {
      std::uint64_t flow_bytes = std::uint64_t{10} << 20U;
      std::uint64_t max_flows = 4096;
      std::chrono::milliseconds max_age = std::chrono::hours(12);
      std::chrono::milliseconds flush_idle{1000};
      std::uint64_t max_buffers = 1024;
      std::uint64_t buffer_bytes = std::uint64_t{64} << 10U;
      std::uint64_t buffers_bytes = std::uint64_t{8} << 20U;
      bool operator==(const Flows&) const = default;
    } flows;
    /// Whose output is a scheduler's log, and what is made of it.
    struct Schedulers {
      std::vector<std::string> logs{"pod/kube-system/kube-scheduler-*/kube-scheduler",
                                    "pod/openshift-kube-scheduler/openshift-kube-scheduler-*/kube-scheduler",
                                    "pod/openshift-numaresources/secondary-scheduler-*/secondary-scheduler",
                                    "pod/scheduler-plugins/scheduler-plugins-scheduler-*/*",
                                    "pod/kube-system/hami-scheduler-*/*",
                                    "pod/hami-system/hami-scheduler-*/*"};
      std::vector<std::string> keys{"logID", "pod", "object", "podName", "pod name"};
      std::string main_log = "off";
      std::uint64_t main_log_verbosity = 2;
      std::uint64_t main_log_bytes = std::uint64_t{10} << 20U;  ///< of one file
      std::uint64_t main_log_files = 5;
      bool operator==(const Schedulers&) const = default;
    } schedulers;
    std::vector<flow::GroupRule> flow_rules;  ///< may be changed by SIGHUP
    identity::StateDirectories runtimes;      ///< in HOST_ROOT
    std::string bpffs;                        ///< empty: HOST_ROOT/sys/fs/bpf
    std::string record;                       ///< empty: nothing is recorded
    /// What else is captured: these lists may be changed by SIGHUP, what stands above holds until a restart.
    struct Sources {
      std::vector<std::string> units;      ///< names of systemd services
      std::vector<std::string> processes;  ///< paths of executables in HOST_ROOT
      std::vector<std::string> files;      ///< paths in HOST_ROOT
      bool operator==(const Sources&) const = default;
    } sources;
    bool operator==(const Stream&) const = default;
  } stream;

  struct Explain {
    bool enabled = true;
    std::uint64_t max_pods = 1000;
    bool operator==(const Explain&) const = default;
  } explain;

  struct Telemetry {
    bool enabled = true;
    std::chrono::milliseconds time_limit{500};
    std::string hierarchy{identity::kAnyHierarchy};
    std::uint64_t max_cgroups = 4096;
    bool cycles = true;
    std::chrono::milliseconds keep = std::chrono::minutes(5);
    bool operator==(const Telemetry&) const = default;
  } telemetry;

  struct Prometheus {
    bool enabled = false;
    std::string address = "0.0.0.0:9000";
    std::string compat_metrics;  ///< exporters under whose names the values are, too, separated by commas
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
    std::string kubernetes_server;  ///< empty: it is not asked
    std::string kubernetes_ca;
    std::string kubernetes_token;
    std::uint64_t rate = 100;
    bool operator==(const Api&) const = default;
  } api;

  bool operator==(const Config&) const = default;
};

/// Where the node's `path`, which begins with a slash, is seen.
[[nodiscard]] std::string on_host(const Config& config, std::string_view path);

/// The most that the journal may take of a tmpfs of this size. A segment that was removed keeps its memory
/// as long as a reader has it open, and a tmpfs counts whole pages: a journal that leaves no room for that meets a full
/// file system before it makes room itself.
[[nodiscard]] constexpr std::uint64_t max_journal_bytes(std::uint64_t flows_bytes) {
  return flows_bytes / 4 * 3;
}

inline constexpr std::size_t kMaxUnitBytes = 127;  ///< of a unit's name: what the log tap's programs compare
inline constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20U;

/// Reads the file, at most kMaxConfigBytes. An error is one sentence that begins with "FILE:LINE: ".
[[nodiscard]] Result<Config> load_config(const std::string& path);

/// The same for text that is already in memory; `name` stands for the file in errors.
[[nodiscard]] Result<Config> parse_config(std::string_view yaml, std::string_view name);

/// Sets one key from a flag's text. `given_as` is what the error calls it ("--cycle").
[[nodiscard]] Status set_config_value(Config& config, std::string_view key, std::string_view value,
                                      std::string_view given_as);

/// The meaning of a key and what it accepts, as two lines for --help.
[[nodiscard]] std::string describe_config_key(std::string_view key);

/// A complete, commented YAML file with the values of `config`; parse_config() gives `config` back.
[[nodiscard]] std::string render_config(const Config& config);

/// The same with all defaults.
[[nodiscard]] std::string sample_config();

}  // namespace flowtap
