// How much each process makes an NVIDIA GPU work, by the driver's samples.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "telemetry/devices/device.hpp"
#include "telemetry/devices/nvml/nvml_call.hpp"
#include "telemetry/devices/nvml/nvml_library.hpp"

namespace flowtap::telemetry::nvml {

using WallClock = std::uint64_t (*)();  ///< microseconds since 1970; samples bear such stamps

/// CLOCK_REALTIME.
[[nodiscard]] std::uint64_t wall_now();

/// A moment by both clocks. The wall clock may step, so it is never compared over a time.
struct Moment {
  DeviceClock::time_point steady;
  std::uint64_t wall;
};

/// Ratios; absent where nothing is known.
struct ProcessWork {
  std::optional<double> utilization{};
  std::optional<double> memory_utilization{};
  std::optional<double> encoder{};
  std::optional<double> decoder{};
};

/// The driver samples each process at times of its own, every second or two, and does not sample a process that does
/// nothing. So a round without a sample tells nothing about a process: it keeps its last value. It counts as idle only
/// when the driver, asked all the while, had no sample of it for kHeld.
class ProcessSamples {
 public:
  /// Longer than the longest time that the driver has been seen to take between two samples of a working process (1.8
  /// s), and short enough that nobody takes an old value for the present one.
  static constexpr std::chrono::seconds kHeld{3};

  /// What the `listed` processes do, and other processes that the driver has a new sample of. Nothing is known about a
  /// process that is missing here. `utilization` is the device's: while it works and the driver has no sample of
  /// anybody, nobody is known to be idle.
  [[nodiscard]] std::map<unsigned, ProcessWork> next(const Functions& call, Handle device,
                                                     const std::set<unsigned>& listed, const Moment& now,
                                                     std::optional<double> utilization, Look& look);

 private:
  struct Last {
    std::uint64_t stamp = 0;  // of the newest sample
    ProcessWork work{};
    DeviceClock::time_point at;  // when that was new; without a sample, when the process was
    bool told = false;           // the driver has one, old or new, in this look
  };

  [[nodiscard]] std::set<unsigned> take(const std::vector<ProcessSample>& samples,
                                        DeviceClock::time_point now, bool first);
  [[nodiscard]] bool tells_idle(DeviceClock::time_point now) const;

  std::map<unsigned, Last> last_;                     // by pid
  std::optional<DeviceClock::time_point> looked_;     // when it last got an answer
  std::optional<DeviceClock::time_point> answering_;  // it has answered each time since then
  std::optional<DeviceClock::time_point> working_;    // the device has worked since then without a pause
  DeviceClock::time_point sampled_{};                 // when there was last a new sample of anybody
};

}  // namespace flowtap::telemetry::nvml
