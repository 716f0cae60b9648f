#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace flowtap::test {

/// All bytes of a file; none if it cannot be read.
[[nodiscard]] inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace flowtap::test
