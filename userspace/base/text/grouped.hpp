// Numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace flowtap {

/// "1,234,567".
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace flowtap
