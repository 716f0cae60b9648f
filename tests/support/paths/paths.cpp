#include "tests/support/paths/paths.hpp"

#include <cstdlib>

namespace flowtap::paths {

std::string in_sources(std::string_view path) {
  return std::string(FLOWTAP_SOURCE_DIR "/").append(path);
}

std::string in_build(std::string_view path) {
  return std::string(FLOWTAP_BUILD_DIR "/").append(path);
}

std::string in_product(std::string_view path) {
  const char* given = std::getenv("FLOWTAP_PRODUCT");
  return given == nullptr ? in_build(path) : std::string(given).append("/").append(path);
}

}  // namespace flowtap::paths
