// Writes the answers of flowtap why, from the daemon or from files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "explain/diagnosis/diagnosis.hpp"
#include "tools/flowtap/exit_code.hpp"
#include "why.hpp"

namespace flowtap::cli {

/// One pod's answer as it is shown: text, or `body` with -o json.
[[nodiscard]] std::string shown_answer(const WhyOptions& options, const diagnosis::Diagnosis& diagnosis,
                                       const std::string& body);

/// Writes all of the text to standard output; kFailure if nobody reads it.
[[nodiscard]] ExitCode put_out(std::string_view text);

/// `take(ns, name, diagnosis, body)`
using TakePod = std::function<void(std::string_view ns, std::string_view name,
                                   const diagnosis::Diagnosis& diagnosis, const std::string& body)>;
/// Writes a list of pods; `each` goes through them once.
[[nodiscard]] ExitCode put_out_list(const WhyOptions& options,
                                    const std::function<void(const TakePod& take)>& each);

}  // namespace flowtap::cli
