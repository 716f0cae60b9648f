// The files of tests/golden.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/support/paths/paths.hpp"

namespace flowtap::test {

/// The file with this path in tests/golden. Throws std::runtime_error: without its file a test proves nothing.
[[nodiscard]] inline std::string golden(const std::string& path) {
  const std::ifstream in(paths::golden() + '/' + path, std::ios::binary);
  if (!in) throw std::runtime_error("no golden file " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace flowtap::test
