// Says in a few words which attempt a diagnosis is about, and what came before it.
#pragma once

#include <string>
#include <string_view>

#include "explain/diagnosis/diagnosis.hpp"

namespace flowtap::cli {

/// "3rd attempt, by kube-scheduler at 2026-08-21 07:12:30 UTC; before: 2 × none of 3 nodes fits". Safe to show. Empty:
/// it is the first attempt that was seen, and its time is not known.
[[nodiscard]] std::string attempt_words(const diagnosis::Diagnosis& diagnosis, std::string_view times);

}  // namespace flowtap::cli
