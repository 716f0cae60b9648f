// A devices collector, round by round.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "telemetry/devices/devices_collector.hpp"
#include "tests/unit/telemetry/node/collected.hpp"

namespace flowtap::test {

using telemetry::WorkloadKind;
using telemetry::WorkloadName;

inline WorkloadName container(const std::string& name) {
  return {.kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = name, .workload = {}};
}

/// Pids 100 to 199 belong to container c1, 200 to 299 to c2 and so on, except for those that `ended`.
class NamesByHundred final : public telemetry::ProcessNames {
 public:
  explicit NamesByHundred(const std::set<pid_t>& ended) : ended_(ended) {}
  [[nodiscard]] std::optional<WorkloadName> name(pid_t pid) override {
    if (ended_.contains(pid)) return std::nullopt;
    return container("c" + std::to_string(pid / 100));
  }

 private:
  const std::set<pid_t>& ended_;
};

/// Values by "name{key=value,...}" without "flowtap_".
class Rounds {
 public:
  explicit Rounds(std::unique_ptr<telemetry::DeviceVendor> vendor,
                  std::chrono::milliseconds keep = std::chrono::minutes(5))
      : collector_(std::move(vendor), std::make_unique<NamesByHundred>(ended), board, keep,
                   [] { return time; }) {}

  /// The wall clock, in microseconds since 1970.
  static std::uint64_t wall() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch() + ahead).count());
  }
  /// Sets it, as an administrator does.
  static void step(std::chrono::seconds by) { ahead += by; }

  std::map<std::string, double> next(std::chrono::milliseconds later = std::chrono::seconds(1)) {
    time += later;
    telemetry::Collected out;
    collector_.collect(out);
    unread = out.unread;
    std::map<std::string, double> all;
    for (const stats::Series& series : out.series) {
      const auto* whole = std::get_if<std::uint64_t>(&series.value);
      const double value = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(series.value);
      const std::string name = telemetry::series_name(series).substr(std::string("flowtap_").size());
      if (!all.emplace(name, value).second) throw std::runtime_error(name + " comes twice");
    }
    return all;
  }

  std::set<pid_t> ended;
  std::shared_ptr<telemetry::DeviceBoard> board = std::make_shared<telemetry::DeviceBoard>();
  std::uint64_t unread = 0;  ///< in the last round

 private:
  inline static telemetry::DeviceClock::time_point time{std::chrono::hours(1)};
  inline static std::chrono::seconds ahead{std::chrono::hours(500'000)};
  telemetry::DevicesCollector collector_;
};

/// The values whose names begin with `name`.
inline std::map<std::string, double> only(const std::map<std::string, double>& all, const std::string& name) {
  std::map<std::string, double> some;
  for (const auto& [key, value] : all)
    if (key.starts_with(name)) some.emplace(key, value);
  return some;
}

}  // namespace flowtap::test
