// The files of tests/golden that these tests read.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace flowtap::diagnosis::test {

/// Throws std::runtime_error: without its file a test proves nothing.
inline std::string golden(const std::string& path) {
  const std::ifstream in(std::string(FLOWTAP_GOLDEN_DIR) + '/' + path, std::ios::binary);
  if (!in) throw std::runtime_error("no golden file " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace flowtap::diagnosis::test
