// What is known about a flow beside its id, in the form that the journal keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "identity/container_runs.hpp"
#include "identity/identity.hpp"

namespace flowtap {

/// The members of /api/v1/flows that come from the identity of a container; absent where nobody could tell.
struct FlowLabels {
  std::optional<std::string> ns = {};
  std::optional<std::string> pod = {};
  std::optional<std::string> uid = {};
  std::optional<std::string> container = {};
  std::optional<std::string> image = {};
  std::optional<std::string> runtime = {};
  std::optional<std::uint64_t> restart = {};
  std::optional<std::string> log_path = {};  ///< the runtime's own file, a path of the node
  /// What tells this run of the container from others (identity::RunBegin).
  std::optional<std::uint64_t> cgroup = {};
  std::optional<std::uint64_t> started = {};
  /// How many are there, without what tells runs apart.
  [[nodiscard]] unsigned count() const;
  bool operator==(const FlowLabels&) const = default;
};

[[nodiscard]] FlowLabels labels_of(const identity::ContainerIdentity& container);

/// What they say of the run that the flow has.
[[nodiscard]] identity::RunBegin run_begin(const FlowLabels& labels);

/// One line of JSON with what is there.
[[nodiscard]] std::string render_labels(const FlowLabels& labels);
/// Reads what render_labels() made; from anything else it takes what fits.
[[nodiscard]] FlowLabels parse_labels(std::string_view json);

}  // namespace flowtap
