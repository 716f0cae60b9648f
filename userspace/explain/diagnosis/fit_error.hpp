// Takes kube-scheduler's sentence apart that says that no node is left:
//   0/6 nodes are available: 2 Insufficient cpu, 4 node(s) had untolerated taint(s). preemption: 0/6 nodes are available: ...
// A reason is what kube-scheduler's own plugins, others and extenders say about a node. It may contain any of the signs between.
// Volcano has sentences of its own, some of which do not say how many nodes there are:
//   all nodes are unavailable: 1 Insufficient nvidia.com/gpu, 2 Insufficient cpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// The report of kube-scheduler's own preemption begins with this.
constexpr std::string_view kPreemption = "preemption: ";

struct FitError {
  std::size_t nodes = 0;             ///< all that there are; 0: the sentence does not say it
  std::vector<NodesReason> reasons;  ///< in kube-scheduler's order, which is by their text
  std::string_view preemption;       ///< what its plugins tried then; views the sentence
  bool counts_all =
      true;  ///< each reason has a count; one without is about the pod, so that no node was looked at
};

/// Why no room could be made, if it was an error that ended preemption: "preemption: pods "x" is forbidden: ...". Empty: the text
/// counts nodes, says why the pod does not ask for room now, or nothing of preemption.
[[nodiscard]] std::string_view room_error_in(std::string_view text);

/// Whether kube-scheduler has no such words, and Volcano has.
[[nodiscard]] bool is_volcanos(std::string_view sentence);

/// How kube-scheduler's sentence ends, if nothing has put a mark there. It has a full stop, and so has its own report of preemption, but
/// a tool may have left that out.
enum class Ending : std::uint8_t {
  kWhole,    ///< with the full stop, or it is another sentence
  kBare,     ///< without it, but each node has its reason, and the last reason is known to have no more words
  kCounted,  ///< without it, and each node has its reason; the last one is known, and takes any name at its end or begins another one
  kAmid      ///< before all nodes have a reason, or within one
};
[[nodiscard]] Ending ending_of(std::string_view sentence);

/// Nothing: it is another sentence.
[[nodiscard]] std::optional<FitError> parse_fit_error(std::string_view sentence);

}  // namespace flowtap::diagnosis
