// /proc/PID/fdinfo/FD of an open GPU, as all drivers of the kernel's DRM write it (Documentation/gpu/drm-usage-stats.rst).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::telemetry {

/// What one kind of engine has worked for a client, in time or in cycles of its clock, since the client was opened.
struct DrmEngine {
  std::optional<std::uint64_t> busy_ns{};
  std::optional<std::uint64_t> cycles{};
  std::optional<std::uint64_t> total_cycles{};  ///< cycles that passed
  std::uint64_t capacity = 1;                   ///< how many engines of the kind there are

  bool operator==(const DrmEngine&) const = default;
};

/// Bytes in one kind of memory.
struct DrmMemory {
  std::optional<std::uint64_t> total{};
  std::optional<std::uint64_t> resident{};

  bool operator==(const DrmMemory&) const = default;
};

struct DrmClient {
  std::string driver;
  std::string device;    ///< PCI address; empty for a device on no PCI bus
  std::uint64_t id = 0;  ///< the same for all descriptors of one opening, also in other processes
  std::map<std::string, DrmEngine, std::less<>> engines;
  std::map<std::string, DrmMemory, std::less<>> memories;

  /// Bytes in the device's own memory ("vram0", "local0"): what is resident, otherwise all that is allocated. Absent
  /// where it has none, or the driver does not tell.
  [[nodiscard]] std::optional<std::uint64_t> own_memory() const;
};

/// Absent where the descriptor belongs to no GPU, or does not tell which client it is. Values that are no numbers are
/// left out, and so are engines and memories beyond 32 kinds.
[[nodiscard]] std::optional<DrmClient> parse_drm_fdinfo(std::string_view text);

/// The part of `ns` in which the engine worked for the client, 0 to 1; absent where counters went back, or there are
/// none.
[[nodiscard]] std::optional<double> engine_ratio(const DrmEngine& before, const DrmEngine& now,
                                                 std::uint64_t ns);

}  // namespace flowtap::telemetry
