// What the reasons in a diagnosis mean, and what a person can do about them (advice.def).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// What nodes with a reason lack or do: "1 lacks GPU memory", "2 lack GPU memory".
struct Lacks {
  std::string_view one;
  std::string_view many;
};

/// What a reason is about.
enum class Mends : std::uint8_t {
  kOther,
  kRoom,  ///< room that other pods may take
  kFit,   ///< the same, if the node has as much in all, which kube-scheduler knows
  kNone,  ///< nothing: the pod is meant for other nodes, whose reasons come first
  kTime,  ///< room that is being made for the pod already
};

/// A row of advice.def. A row that says another one's reason in other words has that row's texts, too.
struct AdviceRow {
  std::string_view pattern;  ///< see text_pattern.hpp; a place "<name>" takes one part of a resource's name
  Lacks lacks;
  std::string_view means;
  std::string_view todo;
  Mends mends = Mends::kOther;
};

struct Advice {
  std::string_view pattern;  ///< the row's pattern: the same whatever names and numbers are in the reason
  std::string reason;        ///< as it was said, without counts
  Lacks lacks;
  std::string_view means;
  std::string_view todo;
  Mends mends = Mends::kOther;
  std::size_t nodes = 0;  ///< in a diagnosis, how many nodes have it; 0 if it is about the pod as a whole
};

/// The rows in the order in which they are tried.
[[nodiscard]] std::span<const AdviceRow> advice_rows();

/// The row of one reason, with counts before it or without. nullptr: the table does not know the reason.
[[nodiscard]] const AdviceRow* advice_row(std::string_view reason);

/// The same with the reason itself.
[[nodiscard]] std::optional<Advice> advice_for(std::string_view reason);

/// The advice for all that failed in a diagnosis, each once. First comes why the pod could not be bound, then why nodes did not
/// fit (what most of them have comes first), then why other pods' room would not have helped. What the filter said as a whole
/// counts only if nothing is known of any node. No advice contradicts another: nobody is told to wait for room that would not do,
/// or to raise the priority where no room is missing.
[[nodiscard]] std::vector<Advice> advice_for(const Diagnosis& diagnosis);

}  // namespace flowtap::diagnosis
