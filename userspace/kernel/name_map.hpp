// What userspace knows of streams and no program needs, kept where the streams are: in the kernel, for as long as they have a slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "kernel/records/stream_control.hpp"

namespace flowtap::kernel {

/// A map from a stream's number to some bytes. A row takes memory only while it is there. All calls are safe from any thread.
class NameMap {
 public:
  /// A map that cannot keep anything.
  NameMap() = default;
  /// Holds a map that make() has made, in this build or another. Without a valid descriptor it keeps nothing.
  explicit NameMap(int map);

  /// A new, empty map for this many streams.
  [[nodiscard]] static Result<Fd> make(std::uint32_t streams);

  /// Keeps at most flow::kMostKeptName bytes. What was kept of the stream before stays if these are not.
  flow::NameKept keep(std::uint64_t stream, std::span<const std::byte> bytes) const;
  /// Empty: nothing is kept.
  [[nodiscard]] std::vector<std::byte> kept(std::uint64_t stream) const;
  void forget(std::uint64_t stream) const;
  /// The streams that have something in the map.
  [[nodiscard]] std::vector<std::uint64_t> streams() const;

 private:
  Fd map_;
  std::size_t value_size_ = 0;
};

}  // namespace flowtap::kernel
