// Any bytes as a ring buffer's memory: records lie inside it, and the walk ends.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernel/ring_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kRing = 256;
  if (size < 16) return 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::memcpy(&from, data, sizeof(from));
  std::memcpy(&to, data + 8, sizeof(to));
  // It is exactly as large as the mapping, so that a read behind it is seen.
  std::vector<std::byte> memory(2 * kRing);
  std::memcpy(memory.data(), data + 16, std::min(size - 16, kRing));
  std::memcpy(memory.data() + kRing, memory.data(), kRing);
  std::size_t given = 0;
  const auto end =
      flowtap::kernel::walk_ring(memory, from, to, kRing, [&](std::span<const std::byte> record) {
        if (record.data() < memory.data() || record.data() + record.size() > memory.data() + memory.size())
          std::abort();
        given += record.size();
      });
  if (given > kRing) std::abort();
  if (end && *end - from > to - from) std::abort();
  return 0;
}
