// What flowtap calls the container of a pod that only holds its namespaces.
#pragma once

#include <string_view>

namespace flowtap {

/// In the ids of flows and in the label `container`. cAdvisor had this name for it for long, and no container can be called so.
inline constexpr std::string_view kSandboxContainer = "POD";

}  // namespace flowtap
