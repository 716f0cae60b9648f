// Answers of flowtap why on their way out, wherever they are from.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "explain/diagnosis/diagnosis.hpp"
#include "tools/flowtap/exit_code.hpp"
#include "why.hpp"

namespace flowtap::cli {

/// Of a pod, as it is shown: text, or with -o json `body`.
[[nodiscard]] std::string shown_answer(const WhyOptions& options, const diagnosis::Diagnosis& diagnosis,
                                       const std::string& body);

/// Writes all of it to standard output; kFailure if nobody reads it.
[[nodiscard]] ExitCode put_out(std::string_view text);

/// `take(ns, name, diagnosis, body)`
using TakePod = std::function<void(std::string_view ns, std::string_view name,
                                   const diagnosis::Diagnosis& diagnosis, const std::string& body)>;
/// Writes a list of pods, which `each` goes through once.
[[nodiscard]] ExitCode put_out_list(const WhyOptions& options,
                                    const std::function<void(const TakePod& take)>& each);

}  // namespace flowtap::cli
