// What flowtap why shows: a pod's diagnosis, or all pods, one line each. Text from a log or the daemon is shown
// escaped.
#pragma once

#include <string>
#include <vector>

#include "explain/diagnosis/diagnosis.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "why_words.hpp"

namespace flowtap::cli {

/// One sentence, the nodes, and what to do; with `evidence`, also the log lines that say so. Lines end in '\n'.
[[nodiscard]] std::string why_text(const std::string& pod, const diagnosis::Diagnosis& diagnosis,
                                   const Style& style, bool evidence = false);

/// A pod in one line, so that a list of pods stays short.
struct PodState {
  std::string pod;  ///< NAMESPACE/POD
  PodWord word;
  std::string why;  ///< safe to show
};
[[nodiscard]] PodState pod_state(std::string pod, const diagnosis::Diagnosis& diagnosis);
[[nodiscard]] std::string why_list_text(const std::vector<PodState>& pods, const Style& style);

}  // namespace flowtap::cli
