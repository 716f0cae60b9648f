// SHA-256 (FIPS 180-4): names that a tenant may choose must not be able to meet by intention.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flowtap {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view message);

}  // namespace flowtap
