// What people call a container that is in no pod, or a systemd service.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/flows/container_flow.hpp"
#include "base/flows/flow_run.hpp"

namespace flowtap::api {

/// What is known of it; empty: not known, or it has none.
struct Called {
  std::string_view container;  ///< its name
  std::string_view id;         ///< the container's, whole or the beginning that runtimes show
  std::string_view unit;
  std::string_view flow;
};

/// Whether `name` is its name, its id or the beginning of that, the unit with or without ".service", or its flow's id. That of the
/// first run means all of them.
[[nodiscard]] constexpr bool is_called(const Called& called, std::string_view name) {
  // Shorter beginnings of an id are also names that people choose.
  constexpr std::size_t kLeastOfId = 6;
  constexpr std::string_view kService = ".service";
  if (name.empty()) return false;
  if (name == called.container || name == called.unit || name == called.flow ||
      name == run_of_flow(called.flow).first)
    return true;
  if (called.unit.ends_with(kService) && called.unit.substr(0, called.unit.size() - kService.size()) == name)
    return true;
  return name.size() >= kLeastOfId && called.id.size() >= kLeastOfId &&
         (called.id.starts_with(name) || name.starts_with(called.id));
}

/// The same by a flow's id alone: container/NAME-ID12, container/ID, unit/NAME. All runs of a container are called so, and one of
/// them by its id as well.
[[nodiscard]] constexpr bool is_flow_called(std::string_view flow, std::string_view name) {
  constexpr std::string_view kUnit = "unit/";
  if (flow.starts_with(kUnit))
    return is_called({.container = {}, .id = {}, .unit = flow.substr(kUnit.size()), .flow = flow}, name);
  if (!flow.starts_with("container/")) return false;
  const auto of = container_flow(flow).value_or(ContainerFlow());
  return is_called({.container = of.name, .id = of.id, .unit = {}, .flow = flow}, name);
}

}  // namespace flowtap::api
