// CRC-32C (Castagnoli), the checksum that CPUs compute by themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace flowtap::flow {

/// The checksum of earlier bytes, whose checksum is `before` (0: there are none), and `bytes` after them. crc32c(0,
/// "123456789") is 0xe3069283. Parameters: RFC 3720, appendix B.4.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t before, std::span<const std::byte> bytes);

/// The same without the CPU's instruction.
[[nodiscard]] std::uint32_t crc32c_portable(std::uint32_t before, std::span<const std::byte> bytes);

}  // namespace flowtap::flow
