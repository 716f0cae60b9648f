// What a cgroup reads and writes, by block device.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// As the kernel numbers it.
struct BlockDevice {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  auto operator<=>(const BlockDevice&) const = default;
};

/// "8:0". Absent: the word is something else.
[[nodiscard]] std::optional<BlockDevice> block_device(std::string_view word);

/// Values that only grow while cgroup and device are the same.
enum class IoCounter : std::uint8_t { kReadBytes, kWrittenBytes, kReads, kWrites };
inline constexpr std::size_t kIoCounters = 4;

/// The values of one device.
struct DeviceIo {
  std::array<std::optional<std::uint64_t>, kIoCounters> counters;

  std::optional<std::uint64_t>& operator[](IoCounter of) { return counters[static_cast<std::size_t>(of)]; }
  const std::optional<std::uint64_t>& operator[](IoCounter of) const {
    return counters[static_cast<std::size_t>(of)];
  }
  bool operator==(const DeviceIo&) const = default;
};

using BlockIo = std::map<BlockDevice, DeviceIo>;
/// By the device names of the time when it was done.
using NamedIo = std::map<std::string, DeviceIo>;

}  // namespace flowtap::telemetry
