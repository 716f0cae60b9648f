// The runs of one container in the ids of flows. The first run that is seen has the container's id, and run N has `ID@N`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace flowtap {

/// When a run may have written, ns since 1970: from its start up to that of the next one.
struct RunSpan {
  std::uint64_t from = 0;
  std::uint64_t to = ~std::uint64_t{0};
  [[nodiscard]] constexpr bool has(std::uint64_t time) const { return from <= time && time < to; }
  bool operator==(const RunSpan&) const = default;
};

/// Whether the text ends as the id of a later run does. No component of an id does so by itself.
[[nodiscard]] constexpr bool ends_in_run(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;  // so that it is a number of 64 bits
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view digits = text.substr(at + 1);
  return !digits.empty() && digits.size() <= kMostDigits && digits.front() != '0' &&
         std::ranges::all_of(digits, is_digit);
}

/// Which run of what a flow has.
struct FlowRun {
  std::string_view first;  ///< the id of the first run's flow
  std::uint64_t number = 1;
};

/// Whether each run of what the flow is of has a flow of its own: a container, and what is within a container, a pod's container or
/// a unit. A unit goes on as one flow, as its journal does, and the ids of pods' containers contain the restart.
[[nodiscard]] constexpr bool has_runs(std::string_view id) {
  const auto parts = std::ranges::count(id, '/') + 1;
  return id.starts_with("container/") || (id.starts_with("unit/") && parts > 2) ||
         (id.starts_with("pod/") && parts > 6);
}

[[nodiscard]] constexpr FlowRun run_of_flow(std::string_view id) {
  if (!has_runs(id) || !ends_in_run(id)) return {id};
  const std::size_t at = id.rfind('@');
  FlowRun run{id.substr(0, at), 0};
  for (const char digit : id.substr(at + 1))
    run.number = run.number * 10 + static_cast<std::uint64_t>(digit - '0');
  return run.number > 1 ? run : FlowRun{id};
}

/// The id of this run's flow, where `first` is that of the first one.
[[nodiscard]] inline std::string run_flow_id(std::string_view first, std::uint64_t number) {
  std::string id(first);
  if (number > 1) id += "@" + std::to_string(number);
  return id;
}

}  // namespace flowtap
