// Why a pod was placed where it is, or nowhere: one answer, whatever schedulers it is from.
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

/// Of a phase, of a node or of a container.
enum class Verdict : std::uint8_t { kNone, kPassed, kFailed };

/// One of a node's NUMA cells that would not do for what a container, or the whole pod, asks of one resource. The quantities are as the
/// scheduler writes them; empty: it does not.
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
  std::string reason;                   ///< of one that failed
  std::optional<std::size_t> cell;      ///< the NUMA cell that it would have, where the scheduler says so
  std::string line = {};                ///< that says it, or its beginning; empty: that of its node does
  std::vector<CellVerdict> cells = {};  ///< of one that failed, by their numbers

  friend bool operator==(const ContainerVerdict&, const ContainerVerdict&) = default;
};

/// One of a node's cards that would not do for the container that failed.
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
      containers;      ///< of a node that failed up to the one that did; empty where they are not known
  std::string reason;  ///< of a node that failed, where none of its containers is known to have
  std::vector<CardVerdict> cards;       ///< in the order in which they were tried
  std::vector<CellVerdict> cells = {};  ///< where the pod as a whole had no place, by their numbers
  std::string line = {};                ///< that says it, or its beginning; empty: those of its containers do

  friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

/// Of how many nodes a scheduler says why, without saying which.
struct NodesReason {
  std::string reason;
  std::size_t nodes = 0;

  friend bool operator==(const NodesReason&, const NodesReason&) = default;
};

struct PhaseVerdict {
  Verdict verdict = Verdict::kNone;
  std::string summary;    ///< the scheduler's own sentence
  std::string line = {};  ///< that says it, or its beginning; empty: it follows from those of the nodes

  friend bool operator==(const PhaseVerdict&, const PhaseVerdict&) = default;
};

struct Diagnosis {
  enum class Status : std::uint8_t { kPending, kSucceeded, kFailed };

  using Instant = std::optional<std::chrono::system_clock::time_point>;

  /// An attempt before this one, in short.
  struct Past {
    Instant time;  ///< of the last that was said of it
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
  std::vector<NodesReason> reasons;       ///< of nodes that the filter left none of
  std::string preemption;                 ///< whether other pods' room would have helped
  std::string nominated = {};             ///< the node on which room is being made for the pod
  std::vector<std::string> victims = {};  ///< pods that are ended for that, "ns/name"
  std::vector<std::string> plugins = {};  ///< kube-scheduler's, that have left no node or hold the pod back
  PhaseVerdict bind;
  std::string node;  ///< that the bind is of, where a scheduler names it

  std::string scheduler = {};  ///< whose word the status is
  std::size_t attempt = 0;     ///< of those of the pod that were seen, from 1; 0: not known
  Instant first = {};          ///< when the first was said of the attempt
  Instant last = {};
  std::vector<Past> history = {};       ///< newest first; not all, where there were many
  std::vector<std::string> lacks = {};  ///< what the logs do not tell, and at which level they would

  /// Of what its phases say.
  void decide();

  friend bool operator==(const Diagnosis&, const Diagnosis&) = default;
};

/// The word of the answer.
[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::string_view to_string(Diagnosis::Status status);

/// What the answer calls the phase that a past attempt ended in.
inline constexpr std::string_view kFilterPhase = "filter";
inline constexpr std::string_view kBindPhase = "bind";

/// The body of `schedulerlog`. `evidence`: with what the verdicts rest on, too.
[[nodiscard]] std::string to_json(const Diagnosis& diagnosis, bool evidence = false);

/// From such a body. What it does not know is passed over, and what is not there is empty; an Error: this is no diagnosis.
[[nodiscard]] Result<Diagnosis> diagnosis_from_json(std::string_view json);

}  // namespace flowtap::diagnosis
