// SHA-256 (FIPS 180-4): tenants choose some names, and must not be able to make two of them collide.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flowtap {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view message);

}  // namespace flowtap
