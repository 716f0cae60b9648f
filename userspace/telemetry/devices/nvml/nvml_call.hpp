// What the result of a call means to us.
#pragma once

#include <cstdint>
#include <optional>

#include "telemetry/devices/nvml/nvml_abi.hpp"

namespace flowtap::telemetry::nvml {

/// One look at one device.
struct Look {
  std::uint64_t& unread;
  bool lost = false;

  /// True: there is a value. It does not count if a device lacks such a thing; other failures do.
  [[nodiscard]] bool good(int result) {
    switch (result) {
      case kSuccess:
        return true;
      case kNotSupported:
      case kFunctionNotFound:
      case kNotFound:
      case kNoData:
      case kInvalidArgument:  // a kind that this driver does not know
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

  /// Calls `function` for a value in its last argument, if the library has the function and the device is there.
  template <typename Value, typename Function, typename... Arguments>
  [[nodiscard]] std::optional<Value> ask(Function* function, Arguments... arguments) {
    Value value{};
    if (function == nullptr || lost || !good(function(arguments..., &value))) return std::nullopt;
    return value;
  }
};

/// Drivers show values near 2^63 and 2^64 for "not available".
inline constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60U;

/// The value, if a counter may have it.
[[nodiscard]] inline std::optional<std::uint64_t> counted(std::optional<std::uint64_t> value) {
  return value && *value < kMostCounted ? value : std::nullopt;
}

/// Percent as a ratio; absent where it is no percentage, like what drivers show for "not available".
[[nodiscard]] inline std::optional<double> ratio(unsigned percent) {
  constexpr unsigned kAll = 100;
  return percent <= kAll ? std::optional(percent / double{kAll}) : std::nullopt;
}

}  // namespace flowtap::telemetry::nvml
