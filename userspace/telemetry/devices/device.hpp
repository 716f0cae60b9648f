// A GPU or another accelerator, whoever made it: what it tells about itself and about the processes that use it. Each
// vendor is one file that knows how to ask.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::telemetry {

using DeviceClock = std::chrono::steady_clock;

/// Its labels. They are fit for metrics: bytes from outside were made printable.
struct DeviceIdentity {
  std::string_view vendor{};  ///< "nvidia"
  std::string device{};       ///< PCI address, "0000:3b:00.0"
  std::string uuid{};         ///< the vendor's name for this one card; may be empty
  std::string model{};
  std::string driver{};  ///< its version; may be empty
  std::string index{};   ///< its number in the vendor's tools; may be empty
  std::string node{};    ///< its file in /dev; may be empty

  auto operator<=>(const DeviceIdentity&) const = default;
};

/// One of several values of a kind; `which` is a literal of the closed set that stats/device.def names.
template <typename T>
struct Labelled {
  std::string_view which;
  T value;
};
using LabelledGauges = std::vector<Labelled<double>>;
/// These may begin anew with the driver.
using LabelledCounters = std::vector<Labelled<std::uint64_t>>;

/// A part of a device that works as a device of its own.
struct DeviceInstance {
  std::string name;  ///< "7/0"
  std::string uuid;
  std::string model;
  std::optional<std::uint64_t> memory_total;  ///< bytes
  std::optional<std::uint64_t> memory_used;
  std::optional<std::uint64_t> processors;
};

/// What a process uses of a device. Ratios are from 0 to 1 and cover the time since the last look, or the last seconds
/// where the driver samples.
struct DeviceProcess {
  pid_t pid = 0;           ///< in the node's pid namespace
  std::string instance{};  ///< DeviceInstance::name; empty: the device as a whole
  std::optional<std::uint64_t> memory{};
  std::optional<double> utilization{};
  std::optional<double> memory_utilization{};
  std::optional<double> encoder{};
  std::optional<double> decoder{};
};

/// It has many members, one for each value that some device tells. What this device does not tell is absent.
struct DeviceValues {
  bool lost = false;                  ///< it no longer answers; all else is absent
  std::optional<double> utilization;  ///< ratios, 0 to 1
  std::optional<double> memory_utilization;
  std::optional<double> encoder;
  std::optional<double> decoder;
  std::optional<std::uint64_t> memory_total;  ///< bytes
  std::optional<std::uint64_t> memory_used;
  std::optional<std::uint64_t> memory_free;
  std::optional<std::uint64_t> memory_reserved;
  std::optional<double> watts;
  std::optional<double> limit_watts;
  std::optional<std::uint64_t> energy_uj;  ///< a counter that begins anew with the driver
  LabelledGauges celsius;
  LabelledGauges hertz;
  LabelledCounters ecc;
  LabelledCounters ecc_lifetime;
  LabelledCounters pcie_bytes;
  LabelledGauges pcie_rates;  ///< bytes per second
  std::optional<std::uint64_t> pcie_replays;
  LabelledCounters nvlink_bytes;
  std::map<std::string, std::uint64_t>
      xids;  ///< by number, since the vendor was asked first; empty: they are not watched
  std::optional<std::uint64_t> last_xid;  ///< number of the last one
  std::vector<DeviceInstance> instances;
  std::vector<DeviceProcess> processes;  ///< a process may be listed once for each instance
};

/// Used by one thread, like its vendor.
class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] virtual const DeviceIdentity& identity() const = 0;
  /// What is there but cannot be read or understood is absent, and counted in `unread`.
  [[nodiscard]] virtual DeviceValues read(DeviceClock::time_point now, std::uint64_t& unread) = 0;
};

class DeviceVendor {
 public:
  DeviceVendor() = default;
  virtual ~DeviceVendor() = default;
  DeviceVendor(const DeviceVendor&) = delete;
  DeviceVendor& operator=(const DeviceVendor&) = delete;

  /// The label `source`. A literal.
  [[nodiscard]] virtual std::string_view source() const = 0;
  /// The name of its collector, "devices_nvidia". A literal.
  [[nodiscard]] virtual std::string_view collector() const = 0;
  /// Looks which devices there are; they stay valid until the next call.
  [[nodiscard]] virtual std::vector<Device*> devices(DeviceClock::time_point now, std::uint64_t& unread) = 0;
  /// A message for a person, after devices(): why there are none ("no libnvidia-ml.so.1"), or what is not known about
  /// those there are; empty where there is nothing to say.
  [[nodiscard]] virtual std::string missing() const { return {}; }
};

}  // namespace flowtap::telemetry
