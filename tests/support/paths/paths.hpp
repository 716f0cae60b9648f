// Where this build's programs and the sources' files are. Only paths.cpp is compiled with absolute paths, so that a clone in another
// folder finds all other files in the compiler cache.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::paths {

/// The absolute path of a file of the source folder.
[[nodiscard]] std::string in_sources(std::string_view path);
/// The absolute path of a file of the build folder.
[[nodiscard]] std::string in_build(std::string_view path);
/// The absolute path of one of the programs that are tested: of this build, or of the build folder that FLOWTAP_PRODUCT in the
/// environment names, such as that of the sanitizers.
[[nodiscard]] std::string in_product(std::string_view path);

[[nodiscard]] inline std::string golden() {
  return in_sources("tests/golden");
}
/// What tools/fetch-program has unpacked, each in a folder of its own.
[[nodiscard]] inline std::string programs() {
  return in_sources("build/tools");
}

[[nodiscard]] inline std::string flowtapd() {
  return in_product("userspace/daemon/flowtapd");
}
/// The flowtapd of another layout of maps, to which the other one is upgraded.
[[nodiscard]] inline std::string flowtapd_next() {
  return in_product("tests/next/flowtapd_next");
}
[[nodiscard]] inline std::string flowtap() {
  return in_product("tools/flowtap/flowtap");
}
[[nodiscard]] inline std::string flowtap_sched() {
  return in_product("scheds/flowtap-sched");
}
/// Writes numbered lines (log_writer.c).
[[nodiscard]] inline std::string log_writer() {
  return in_build("tests/support/log_writer");
}

}  // namespace flowtap::paths
