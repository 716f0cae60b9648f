// What the id of a container's own flow says of the container: container/NAME-ID12, or container/ID where it has no name.
#pragma once

#include <optional>
#include <string_view>

#include "base/flows/flow_run.hpp"

namespace flowtap {

/// As they are written in the id.
struct ContainerFlow {
  std::string_view name;  ///< empty: it has none
  std::string_view id;
};

/// Of any run. Absent: it is the flow of something else, such as of what is within a container.
[[nodiscard]] constexpr std::optional<ContainerFlow> container_flow(std::string_view flow) {
  constexpr std::string_view kContainer = "container/";
  if (!flow.starts_with(kContainer)) return std::nullopt;
  const std::string_view component = run_of_flow(flow).first.substr(kContainer.size());
  if (component.contains('/')) return std::nullopt;
  // A `-` in an id is escaped.
  const std::size_t dash = component.rfind('-');
  if (dash == std::string_view::npos) return ContainerFlow{.name = {}, .id = component};
  return ContainerFlow{.name = component.substr(0, dash), .id = component.substr(dash + 1)};
}

}  // namespace flowtap
