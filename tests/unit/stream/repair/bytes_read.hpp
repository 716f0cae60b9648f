#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace flowtap {

/// Bytes that this process has read so far, by the kernel's account.
[[nodiscard]] inline std::uint64_t bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string word;
  std::uint64_t value = 0;
  io >> word >> value;
  return word == "rchar:" ? value : 0;
}

}  // namespace flowtap
