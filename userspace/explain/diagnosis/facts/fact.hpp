// What one record of a scheduler says about one pod, as values: the same for every scheduler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stream/lines/flow_key.hpp"
#include "stream/lines/klog_time.hpp"

namespace flowtap::diagnosis {

struct Scheduler;

enum class FactKind : std::uint8_t {
  kAttempt,     ///< the scheduler begins with the pod; what it said before is of another attempt
  kHeldBack,    ///< one of its plugins keeps it from beginning
  kContainer,   ///< a container of the pod, in the order in which the scheduler goes through them
  kRequests,    ///< which devices each container asks for
  kCards,       ///< a node has these cards, and no others of their kind; of no pod
  kCardsThere,  ///< these cards are on the node, among others; of no pod
  kTries,       ///< one request of a container is looked at on some node
  kAllocated,   ///< one request of a container has got these cards, so that its node may fit
  kCardFails,   ///< why one card does not do
  kNodeReason,  ///< why the node that is decided next does not fit
  kNodeFits,
  kNodeFails,
  kNodeUnknown,  ///< its cards or their use are not known, and so it is left out
  kNodesFit,     ///< several nodes, each with its score: "node-1:1.50,node-2:0.25"
  kNodesFail,    ///< several nodes, with one reason of each
  kAligns,       ///< a container of the pod, or all of it, has a place among the node's NUMA cells
  kAlignFails,   ///< it has none, and so the node does not fit
  kNodeLacks,    ///< the same, for all of the node's cells together have not enough
  kCellFits,     ///< a NUMA cell of the node does for one resource of a container, or of the whole pod
  kCellFails,    ///< it does not
  kCellsSpared,  ///< the resource is of no cell, and need not be
  kNominates,    ///< the node on which room is being made for the pod
  kVictim,       ///< another pod that is ended for that
  kRejects,      ///< which plugins have left no node; said when the attempt is over
  kFilterPassed,
  kFilterFailed,
  kBinding,       ///< the scheduler begins to bind the pod to the node
  kBindingToEnd,  ///< the same of one that goes on when it cannot lock the node, and says when it is done, whether it is bound or not
  kBindEnds,      ///< this is when; it names no pod
  kBound,
  kBindFailed,
  kPhaseFailed,  ///< the phase that the attempt is in
};

/// What a fact may carry.
enum class Field : std::uint8_t {
  kUid,
  kNode,
  kScore,
  kReason,
  kSummary,  ///< the scheduler's own sentence
  kError,    ///< what follows a message as its cause
  kContainer,
  kIndex,  ///< of a container, from 0
  kCard,
  kCards,      ///< their ids, in JSON or as Go prints a list of structures
  kRequests,   ///< JSON: a list of {"TYPE":{"Nums":N}}, one object a container
  kNodes,      ///< names, with commas
  kResource,   ///< of which there is not enough
  kCell,       ///< the NUMA cell's number
  kAvailable,  ///< what it has of the resource
  kRequested,  ///< what is asked of it
  kPod,        ///< another one, "ns/name"
  kPlugins,    ///< one's name, or a JSON object or Go's map with their names
  kVendor,     ///< of cards
};
constexpr std::size_t kFields = 19;

/// Of a record no more is kept as what a verdict rests on.
constexpr std::size_t kLongestLine = 512;

/// Kubernetes'. What is longer names nothing.
constexpr std::size_t kLongestName = 253;

/// Does not own; what it views lives until the parser's next record.
struct Fact {
  FactKind kind = FactKind::kAttempt;
  const Scheduler* scheduler = nullptr;  ///< who says it
  std::uint8_t weight = 0;               ///< of two summaries the heavier one stays, of equal ones the later
  std::uint32_t log = 0;  ///< which one it stands in: within one the order of the records counts,
  flow::KlogTime time;    ///< and between two when they were written
  flow::KlogInstant instant;
  std::string_view line;  ///< the record that says it, or its beginning: kLongestLine at most
  flow::FlowKey pod;      ///< both empty: the record names none, or
  std::string_view name;  ///< only this name, without its namespace
  std::array<std::string_view, kFields> values;

  [[nodiscard]] std::string_view operator[](Field field) const {
    return values[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] std::string_view& at(Field field) { return values[static_cast<std::size_t>(field)]; }
};

}  // namespace flowtap::diagnosis
