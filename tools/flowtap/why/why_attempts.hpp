// Which attempt a diagnosis is of, and what came before it, in a few words.
#pragma once

#include <string>
#include <string_view>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::cli {

/// "3rd attempt, by kube-scheduler at 2026-08-21 07:12:30 UTC; before: 2 × none of 3 nodes fits". Fit to be shown. Empty: it is the first
/// that was seen, and nobody knows when it was.
[[nodiscard]] std::string attempt_words(const diagnosis::Diagnosis& diagnosis, std::string_view times);

}  // namespace flowtap::cli
