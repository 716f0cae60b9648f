#include "tests/support/paths/paths.hpp"

namespace flowtap::paths {

std::string in_sources(std::string_view path) {
  return std::string(FLOWTAP_SOURCE_DIR "/").append(path);
}

std::string in_build(std::string_view path) {
  return std::string(FLOWTAP_BUILD_DIR "/").append(path);
}

}  // namespace flowtap::paths
