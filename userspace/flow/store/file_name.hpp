// The names of flow files (design section 3.4).
#pragma once

#include <string>
#include <string_view>

namespace flowtap::flow {

constexpr std::string_view kFlowSuffix = ".log";

/// "/" becomes "__", every other byte outside [A-Za-z0-9.-] is percent-encoded, ".log" is added. Over 200 bytes: the first
/// 160, and a hash. No two flow ids that are not made to collide have one name; none is hidden or leads elsewhere.
[[nodiscard]] std::string flow_file_name(std::string_view id);

}  // namespace flowtap::flow
