// Which backends the totals go out by.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace flowtap::stats {

/// Plain values. The configuration's row of the same name, such as statsd.prefix, says what each one means and accepts.
struct OutletOptions {
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

  bool operator==(const OutletOptions&) const = default;
};

}  // namespace flowtap::stats
