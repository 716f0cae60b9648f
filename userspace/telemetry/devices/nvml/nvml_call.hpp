// What a call's result means to us.
#pragma once

#include <cstdint>
#include <optional>

#include "telemetry/devices/nvml/nvml_abi.hpp"

namespace flowtap::telemetry::nvml {

/// One look at one device.
struct Look {
  std::uint64_t& unread;
  bool lost = false;

  /// True: there is a value. A device that has no such thing is nothing to count, what else goes wrong is.
  [[nodiscard]] bool good(int result) {
    switch (result) {
      case kSuccess:
        return true;
      case kNotSupported:
      case kFunctionNotFound:
      case kNotFound:
      case kNoData:
      case kInvalidArgument:  // of a kind that this driver does not know
        return false;
      case kGpuIsLost:
      case kResetRequired:
      case kUninitialized:
      case kDriverNotLoaded:
        lost = true;
        return false;
      default:
        ++unread;
        return false;
    }
  }

  /// Calls `function` if the library has it, and the device is there, for a value at its last argument.
  template <typename Value, typename Function, typename... Arguments>
  [[nodiscard]] std::optional<Value> ask(Function* function, Arguments... arguments) {
    Value value{};
    if (function == nullptr || lost || !good(function(arguments..., &value))) return std::nullopt;
    return value;
  }
};

/// Drivers show values near 2^63 and 2^64 for "not available".
inline constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60U;

/// What may be a counter's value.
[[nodiscard]] inline std::optional<std::uint64_t> counted(std::optional<std::uint64_t> value) {
  return value && *value < kMostCounted ? value : std::nullopt;
}

/// Percent as a ratio; absent where it is no percentage, as what drivers show for "not available".
[[nodiscard]] inline std::optional<double> ratio(unsigned percent) {
  constexpr unsigned kAll = 100;
  return percent <= kAll ? std::optional(percent / double{kAll}) : std::nullopt;
}

}  // namespace flowtap::telemetry::nvml
