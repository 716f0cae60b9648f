// The names of the files that hold flows (design section 3.4).
#pragma once

#include <string>
#include <string_view>

namespace flowtap::flow {

constexpr std::string_view kFlowSuffix = ".log";

/// `/` becomes `__`, and every other byte outside [A-Za-z0-9.-] is written %XX, so that the map is injective. A name over 200
/// bytes becomes its first 160, `~` and 128 bits of the id's SHA-256: someone who may choose a pod's name must not be able to
/// make it equal to another's. `.log` follows.
[[nodiscard]] std::string flow_file_name(std::string_view id);

}  // namespace flowtap::flow
