// Why a pod was placed where it is, or nowhere: one answer, from whatever schedulers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::diagnosis {

/// The verdict on a phase, a node or a container.
enum class Verdict : std::uint8_t { kNone, kPassed, kFailed };

/// A NUMA cell of a node that has too little of one resource that a container, or the whole pod, asks for. The quantities are as
/// the scheduler writes them; empty: it does not write them.
struct CellVerdict {
  std::size_t cell = 0;
  std::string resource;
  std::string available;
  std::string requested;

  friend bool operator==(const CellVerdict&, const CellVerdict&) = default;
};

struct ContainerVerdict {
  std::string name;
  Verdict verdict = Verdict::kNone;
  std::string reason;               ///< if it failed
  std::optional<std::size_t> cell;  ///< the NUMA cell that it would get, if the scheduler says so
  std::string line = {};  ///< the log's line that says it, or its beginning; empty: its node's line says it
  std::vector<CellVerdict> cells = {};  ///< if it failed, those that do not fit, by their numbers

  friend bool operator==(const ContainerVerdict&, const ContainerVerdict&) = default;
};

/// A card of a node that does not fit the container that failed.
struct CardVerdict {
  std::string name;
  std::string reason;

  friend bool operator==(const CardVerdict&, const CardVerdict&) = default;
};

struct NodeVerdict {
  std::string name;
  Verdict verdict = Verdict::kNone;
  double score = 0;
  std::vector<ContainerVerdict>
      containers;      ///< if the node failed, up to the one that did; empty if they are not known
  std::string reason;  ///< if the node failed, and no container is known to have failed
  std::vector<CardVerdict> cards;       ///< in the order in which they were tried
  std::vector<CellVerdict> cells = {};  ///< those that do not fit the pod as a whole, by their numbers
  std::string line = {};  ///< the log's line that says it, or its beginning; empty: its containers' lines do

  friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

/// How many nodes have a reason, if the scheduler does not say which nodes.
struct NodesReason {
  std::string reason;
  std::size_t nodes = 0;

  friend bool operator==(const NodesReason&, const NodesReason&) = default;
};

struct PhaseVerdict {
  Verdict verdict = Verdict::kNone;
  std::string summary;    ///< the scheduler's own sentence
  std::string line = {};  ///< the log's line that says it, or its beginning; empty: the nodes' lines do

  friend bool operator==(const PhaseVerdict&, const PhaseVerdict&) = default;
};

/// A plugin that keeps a pod from being tried, and its own words; empty: it says none.
struct HeldBack {
  std::string plugin;
  std::string reason;

  friend bool operator==(const HeldBack&, const HeldBack&) = default;
};

/// What somebody who places no pods says of one, such as an autoscaler, in its own words.
struct Note {
  std::string by;
  std::string says;

  friend bool operator==(const Note&, const Note&) = default;
};

/// What became of the pod beside the verdicts on it.
struct Lifecycle {
  bool deleted = false;      ///< it is gone, or going
  std::string preempted_by;  ///< the pod for which it was ended, "ns/name"
  std::string preempted_on;  ///< the node on which that was; empty: it is not said
  std::string
      waits;  ///< it has its node, and waits there for this: kWaitsForGroup, kWaitsForPermit or kWaitsForGang
  std::vector<HeldBack> held;  ///< by whom it is kept from being tried
  std::string line;            ///< the log's line that says that it was deleted or ended, or its beginning

  /// The pod was deleted: what the log says about its name afterwards is about another pod.
  [[nodiscard]] bool over() const { return deleted || !preempted_by.empty(); }
  friend bool operator==(const Lifecycle&, const Lifecycle&) = default;
};
/// The plugin that looks at a pod's gates, and what it says at least.
inline constexpr std::string_view kGatesPlugin = "SchedulingGates";
inline constexpr std::string_view kWaitsForGates = "waiting for scheduling gates";
inline constexpr std::string_view kWaitsForGroup = "group";
inline constexpr std::string_view kWaitsForPermit = "permit";
inline constexpr std::string_view kWaitsForGang = "gang";  ///< Volcano's, which has no Permit

/// The answer about one pod, as plain values. It has many members, since each part of the answer is one.
struct Diagnosis {
  enum class Status : std::uint8_t { kPending, kSucceeded, kFailed };

  using Instant = std::optional<std::chrono::system_clock::time_point>;

  /// An attempt before this one, in short.
  struct Past {
    Instant time;  ///< when the last thing was said of it
    std::string scheduler;
    Status status = Status::kPending;
    bool at_bind = false;  ///< a node had been found
    std::string summary;   ///< the scheduler's own sentence, or its beginning

    friend bool operator==(const Past&, const Past&) = default;
  };

  Status status = Status::kPending;
  std::string uid;
  PhaseVerdict filter;
  std::vector<NodeVerdict> nodes;         ///< by name
  std::vector<NodesReason> reasons;       ///< why nodes failed, if the filter left none
  std::string preemption;                 ///< whether other pods' room would have helped
  std::string nominated = {};             ///< the node on which room is being made for the pod
  std::vector<std::string> victims = {};  ///< pods that are ended for that, "ns/name"
  std::vector<std::string> plugins = {};  ///< kube-scheduler's plugins that left no node or hold the pod back
  PhaseVerdict bind;
  std::string node;  ///< the node that the bind is about, if a scheduler names it

  std::string scheduler = {};  ///< the scheduler whose word the status is; empty: it is not known which one
  std::size_t attempt = 0;     ///< its number among the pod's attempts that were seen, from 1; 0: not known
  Instant first = {};          ///< when the first thing was said of the attempt
  Instant last = {};
  std::vector<Past> history = {};       ///< newest first; not all if there were many
  std::vector<std::string> lacks = {};  ///< what the logs do not tell, and at which level they would
  Lifecycle lifecycle = {};             ///< what became of the pod
  std::vector<Note> notes = {};

  /// Sets the status by the verdicts of the phases.
  void decide();

  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

/// The words that the answer uses.
[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::string_view to_string(Diagnosis::Status status);

/// What the answer calls the phase that a past attempt ended in.
inline constexpr std::string_view kFilterPhase = "filter";
inline constexpr std::string_view kBindPhase = "bind";

/// The body of `schedulerlog`. `evidence`: also with what the verdicts rest on. `lifecycle`: also without evidence with what
/// became of the pod.
[[nodiscard]] std::string to_json(const Diagnosis& diagnosis, bool evidence = false, bool lifecycle = false);

/// Reads such a body. Members that it does not know are passed over, and those that are missing stay empty. An Error: this is not
/// a diagnosis.
[[nodiscard]] Result<Diagnosis> diagnosis_from_json(std::string_view json);

}  // namespace flowtap::diagnosis
