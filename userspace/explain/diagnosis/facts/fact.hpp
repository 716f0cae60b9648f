// What one record of a scheduler says about one pod, as values. They are the same for every scheduler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stream/lines/flow_key.hpp"
#include "stream/lines/klog/klog_time.hpp"

namespace flowtap::diagnosis {

struct Scheduler;

enum class FactKind : std::uint8_t {
  kAttempt,     ///< the scheduler begins with the pod; what it said before is of another attempt
  kHeldBack,    ///< one of its plugins keeps it from beginning
  kAdded,       ///< a pod of this name is to be scheduled; after a deletion it is another one
  kDequeued,    ///< the pod has left the queue: it is deleted, or it has its node
  kHasNode,     ///< it has its node, whoever gave it
  kDeleted,     ///< it is deleted, or being deleted, and has no node
  kGone,        ///< it is deleted, and had a node
  kGated,       ///< its scheduling gates keep it from beginning
  kPreempted,   ///< it is ended to make room for another pod; a kVictim tells it
  kDisplaced,   ///< it gives up its node for another pod and is tried again; a kDisplaces tells it
  kContainer,   ///< a container of the pod, in the order in which the scheduler goes through them
  kRequests,    ///< which devices each container asks for
  kCards,       ///< a node has these cards, and no others of their kind; it is about no pod
  kCardsThere,  ///< these cards are on the node, among others; it is about no pod
  kTries,       ///< one request of a container is looked at on some node
  kAllocated,   ///< one request of a container has got these cards, so that its node may fit
  kCardFails,   ///< why one card does not do
  kNodeReason,  ///< why the node that is decided next does not fit
  kNodeFits,
  kNodeFails,
  kNodeUnknown,   ///< the node's cards or their use are not known, so the node is left out
  kNodesFit,      ///< several nodes, each with its score: "node-1:1.50,node-2:0.25"
  kNodesFail,     ///< several nodes, with one reason of each
  kAligns,        ///< a container of the pod, or all of it, has a place among the node's NUMA cells
  kAlignFails,    ///< it has none, so the node does not fit
  kNodeLacks,     ///< the same, because all of the node's cells together do not have enough
  kCellFits,      ///< a NUMA cell of the node does for one resource of a container, or of the whole pod
  kCellFails,     ///< it does not
  kCellsSpared,   ///< the resource does not belong to cells, and need not
  kDryRun,        ///< nodes are looked at without some of their pods: what follows about nodes is no verdict
  kNominates,     ///< the node on which room is being made for the pod
  kVictim,        ///< another pod that is ended for that, and the node; or only the node
  kDisplaces,     ///< another pod, not bound yet, that gives up its node for that
  kRoomFails,     ///< room cannot be made, and why; if it names no pod, the next one about a pod's room does
  kSkips,         ///< an extender, which could not be asked and may be passed over
  kSkipsForRoom,  ///< the same after the filter; the verdict on the pod is said next
  kSkipsAtBind,   ///< the same at the bind
  kRejects,       ///< which plugins have left no node; it is said when the attempt is over
  kNote,          ///< what somebody who places no pods says of it, and who that is
  kReleased,      ///< nobody holds it back any more, and it waits for its turn
  kWaits,         ///< the pod has its node, and waits until a plugin lets it go on
  kFilterPassed,
  kFilterFailed,
  kBinding,       ///< the scheduler begins to bind the pod to the node
  kBindingToEnd,  ///< the same, but it goes on without the node's lock; its end is said, whether bound or not
  kBindEnds,      ///< that end; it names no pod
  kBound,
  kAssigned,  ///< the pod has a node though its bind, or the search for a node, had failed
  kBindFailed,
  kPhaseFailed,  ///< the phase that the attempt is in
};

/// Whether the fact says something only of a pod that was spoken of before: an informer tells of every pod of the cluster.
[[nodiscard]] constexpr bool is_of_known_pod(FactKind kind) {
  return kind == FactKind::kAdded || kind == FactKind::kHasNode || kind == FactKind::kGone ||
         kind == FactKind::kReleased;
}

/// Whether another scheduler than the pod's own may say it: an informer tells each of them of every pod, and one may make room for
/// its pods where another's are.
[[nodiscard]] constexpr bool may_be_others(FactKind kind) {
  return kind == FactKind::kHasNode || kind == FactKind::kGone || kind == FactKind::kPreempted ||
         kind == FactKind::kDisplaced;
}

/// Whether it says how an attempt ended.
[[nodiscard]] constexpr bool is_verdict(FactKind kind) {
  return kind == FactKind::kFilterFailed || kind == FactKind::kBound || kind == FactKind::kAssigned ||
         kind == FactKind::kBindFailed || kind == FactKind::kPhaseFailed;
}

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
  kCards,      ///< their ids, as JSON or as Go prints a list of structures
  kRequests,   ///< JSON: a list of {"TYPE":{"Nums":N}}, one object a container
  kNodes,      ///< names, with commas
  kResource,   ///< the resource that is short
  kCell,       ///< the number of the NUMA cell
  kAvailable,  ///< how much of the resource it has
  kRequested,  ///< how much is asked of it
  kPod,        ///< another pod, "ns/name"
  kPlugins,    ///< one plugin's name, or who else says it, or a JSON object or Go's map with several
  kVendor,     ///< of the cards
};
constexpr std::size_t kFields = 19;

/// The most that is kept of a record as the line that a verdict rests on.
constexpr std::size_t kLongestLine = 512;

/// Kubernetes' bound. A longer text is not a name.
constexpr std::size_t kLongestName = 253;

/// Marks the end of a text whose line was cut, so that the log has only its beginning.
inline constexpr std::string_view kCutOff = "…";

/// In the place of a name: the scheduler has several profiles, each with a name of its own, and nothing says which one it was.
inline constexpr std::string_view kOneOfSeveral = "?";

/// Does not own its texts, which live until the parser's next record.
struct Fact {
  FactKind kind = FactKind::kAttempt;
  const Scheduler* scheduler = nullptr;  ///< the scheduler that says it
  std::string_view
      by;  ///< what it is called where it has a name of its own, or kOneOfSeveral; empty: as in the table
  std::uint8_t weight = 0;  ///< of two summaries the heavier one counts, of equal ones the later
  std::uint64_t times = 1;  ///< how many attempts a verdict is about: Kubernetes collapses the same event
  std::uint32_t log = 0;    ///< the log that it stands in: within one log the order of the records counts,
  flow::KlogTime time;      ///< and between two logs the time when they were written
  flow::KlogInstant instant;
  std::string_view line;  ///< the record that says it, or its beginning: kLongestLine at most
  flow::FlowKey pod;      ///< both empty: the record names none, or
  std::string_view name;  ///< only this name, without its namespace
  std::string_view
      group;  ///< room is made for this, which is no pod: "podgroup ns/name"; `pod` is the one of it that was tried, if the
  ///< record names it
  std::array<std::string_view, kFields> values;

  [[nodiscard]] std::string_view operator[](Field field) const {
    return values[static_cast<std::size_t>(field)];
  }
  [[nodiscard]] std::string_view& at(Field field) { return values[static_cast<std::size_t>(field)]; }
};

}  // namespace flowtap::diagnosis
