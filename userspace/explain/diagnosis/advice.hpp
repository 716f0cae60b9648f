// What the reasons in a diagnosis mean, and what a person can do about them (advice.def).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::diagnosis {

/// What nodes with a reason do: "1 lacks GPU memory", "2 lack GPU memory".
struct Lacks {
  std::string_view one;
  std::string_view many;
};

/// A row of advice.def; one that is another's in other words has its texts, too.
struct AdviceRow {
  std::string_view pattern;  ///< text_pattern.hpp
  Lacks lacks;
  std::string_view means;
  std::string_view todo;
};

struct Advice {
  std::string_view pattern;  ///< the row's: the same whatever names and numbers are in the reason
  std::string reason;        ///< as it was said, without counts
  Lacks lacks;
  std::string_view means;
  std::string_view todo;
  std::size_t nodes = 0;  ///< of a diagnosis, how many have it; none for what is of the pod as a whole
};

/// In the order in which they are tried.
[[nodiscard]] std::span<const AdviceRow> advice_rows();

/// Of one reason, with counts before it or without. Nothing: one that the table does not know.
[[nodiscard]] std::optional<Advice> advice_for(std::string_view reason);

/// Of all that failed in it, each once: why it could not be bound, then why nodes did not fit, what most of them have first, then why
/// other pods' room would not have helped. What the filter said as a whole counts where nothing is known of any node.
[[nodiscard]] std::vector<Advice> advice_for(const Diagnosis& diagnosis);

}  // namespace flowtap::diagnosis
