// /proc/net/dev, as the kernel writes it for any network namespace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// A device's numbers in the order of dev_seq_printf_stats() in net/core/net-procfs.c.
enum class NetNumber : std::uint8_t {
  kReceivedBytes,
  kReceivedPackets,
  kReceiveErrors,
  kReceiveDropped,
  kReceiveFifo,
  kReceiveFrame,
  kReceiveCompressed,
  kReceiveMulticast,
  kSentBytes,
  kSentPackets,
  kSendErrors,
  kSendDropped,
  kSendFifo,
  kSendCollisions,
  kSendCarrier,
  kSendCompressed,
};
using NetNumbers = std::array<std::uint64_t, 16>;

/// Calls `take` for each device once, under a printable name. Returns how many lines could not be understood, or had
/// the same name as another.
std::uint64_t for_each_net_device(
    std::string_view text, const std::function<void(const std::string& device, const NetNumbers&)>& take);

}  // namespace flowtap::telemetry
