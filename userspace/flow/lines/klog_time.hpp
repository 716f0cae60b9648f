// When a record was written, as far as it says so: to put two logs' records in order.
#pragma once

#include <cstdint>
#include <optional>

#include "flow/lines/klog_record.hpp"

namespace flowtap::flow {

/// µs since a year began that has 366 days. Text has no year and the scheduler's local time, which in a container is UTC; JSON's is
/// UTC. Nothing: there is none, or it is malformed.
using KlogTime = std::optional<std::uint64_t>;

[[nodiscard]] KlogTime klog_time(const KlogRecord& record);

/// Whether `a` was before `b`, over a year's end too: they are less than half a year apart. False where one is not known.
[[nodiscard]] bool is_earlier(const KlogTime& a, const KlogTime& b);

}  // namespace flowtap::flow
