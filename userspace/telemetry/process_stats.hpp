// What flowtapd itself uses, from /proc/self.
#pragma once

#include <string>
#include <vector>

#include "stats/read_errors.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

inline constexpr const char* kProcessErrors = "process";  ///< a kind of ReadErrors

/// Appends the process_* series. A value that cannot be read is left out and counted in `errors` as kProcessErrors.
void append_process_stats(std::vector<stats::Series>& out, ReadErrors& errors,
                          const std::string& proc_self = "/proc/self");

}  // namespace flowtap
