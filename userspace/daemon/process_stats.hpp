// What flowtapd itself uses, from /proc/self.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "stats/snapshot.hpp"

namespace flowtap {

/// How often a kind of value could not be read, by the `what` of flowtap_read_errors_total.
using ReadErrors = std::map<std::string, std::uint64_t>;

/// Appends the process_* series. What cannot be read is left out and counted in `errors` as "process".
void append_process_stats(std::vector<stats::Series>& out, ReadErrors& errors,
                          const std::string& proc_self = "/proc/self");

}  // namespace flowtap
