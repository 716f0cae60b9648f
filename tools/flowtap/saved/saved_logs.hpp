// Saved logs of schedulers, read into a store.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"

namespace flowtap::cli {

/// "-" is standard input. Pieces of one log are read as one, in the order of their times. Parts of a file that cannot
/// be read are reported. An Error: nothing of a file can be read, and the files after it were not read.
[[nodiscard]] Status read_saved_logs(const std::vector<std::string>& paths, diagnosis::DiagnosisStore& store);

}  // namespace flowtap::cli
