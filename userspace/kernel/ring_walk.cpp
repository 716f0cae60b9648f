#include "kernel/ring_walk.hpp"

#include <linux/bpf.h>

#include <string>

namespace flowtap::kernel {
namespace {

// struct bpf_ringbuf_hdr of kernel/bpf/ringbuf.c: 32 bits of length and flags, and 32 bits for the kernel's own use.
constexpr std::uint64_t kHeader = BPF_RINGBUF_HDR_SZ;

std::uint32_t header_at(std::span<const std::byte> data, std::uint64_t position) {
  const std::uint64_t at = position & (data.size() / 2 - 1);
  // Acquire: the kernel takes the busy bit away after the record is whole.
  const auto* header = reinterpret_cast<const std::uint32_t*>(data.data() + at);
  return __atomic_load_n(header, __ATOMIC_ACQUIRE);
}

}  // namespace

Result<std::uint64_t> walk_ring(std::span<const std::byte> data, std::uint64_t from, std::uint64_t to,
                                std::size_t limit,
                                const std::function<void(std::span<const std::byte>)>& take) {
  const std::uint64_t ring = data.size() / 2;
  if (from % 8 != 0) return fail("no record begins at the ring's position " + std::to_string(from));
  if (to - from > ring)
    return fail("the ring's positions " + std::to_string(from) + " and " + std::to_string(to) +
                " are further apart than its " + std::to_string(ring) + " bytes");
  std::size_t given = 0;
  while (from != to && given < limit) {
    const std::uint32_t header = header_at(data, from);
    if ((header & BPF_RINGBUF_BUSY_BIT) != 0) break;
    const std::uint64_t size = header & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
    const std::uint64_t taken = (kHeader + size + 7) & ~7ULL;
    if (taken > to - from)
      return fail("a record of " + std::to_string(size) + " bytes at " + std::to_string(from) +
                  " does not fit into the ring");
    if ((header & BPF_RINGBUF_DISCARD_BIT) == 0) {
      take(data.subspan((from & (ring - 1)) + kHeader, size));
      given += size;
    }
    from += taken;
  }
  return from;
}

}  // namespace flowtap::kernel
