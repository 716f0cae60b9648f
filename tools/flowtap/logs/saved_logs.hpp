// Saved logs of schedulers, read into a store.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"

namespace flowtap::cli {

/// "-" is standard input. Pieces of one log are read as one, in the order of their times. What of a file cannot be read is told; an
/// Error: that is all of it, and what follows was not read.
[[nodiscard]] Status read_saved_logs(const std::vector<std::string>& paths, diagnosis::DiagnosisStore& store);

}  // namespace flowtap::cli
