#include "base/hash/crc32c.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace flowtap::flow {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41, bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr auto kTable = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse(std::uint32_t before,
                                                           std::span<const std::byte> bytes) {
  std::uint64_t crc = ~before;
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    crc = _mm_crc32_u64(crc, word);
    bytes = bytes.subspan(sizeof word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (const std::byte b : bytes) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(b));
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_portable(std::uint32_t before, std::span<const std::byte> bytes) {
  std::uint32_t crc = ~before;
  for (const std::byte b : bytes) crc = (crc >> 8U) ^ kTable[(crc ^ static_cast<std::uint32_t>(b)) & 0xFFU];
  return ~crc;
}

std::uint32_t crc32c(std::uint32_t before, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0) return crc32c_sse(before, bytes);
#endif
  return crc32c_portable(before, bytes);
}

}  // namespace flowtap::flow
