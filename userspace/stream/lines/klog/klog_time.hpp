// When a record was written, as far as it says so. This is used to put two logs' records in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow {

/// µs since the beginning of a year that has 366 days. Text has no year, and has the scheduler's local time, which in a container
/// is UTC; JSON's time is UTC. Nothing: there is none, or it is malformed.
using KlogTime = std::optional<std::uint64_t>;

[[nodiscard]] KlogTime klog_time(const KlogRecord& record);

/// A time in UTC. Nothing: it cannot be told.
using KlogInstant = std::optional<std::chrono::system_clock::time_point>;

/// JSON says it. Text has neither year nor zone, so its time counts only if it agrees with `kept`: when its line was captured or
/// kept, in ns since 1970; 0: that is not known.
[[nodiscard]] KlogInstant klog_instant(const KlogRecord& record, std::uint64_t kept);

/// µs from `a` to `b`, negative if that was before `a`, also over a year's end: they are less than half a year apart. 0 where one is
/// not known.
[[nodiscard]] std::int64_t micros_between(const KlogTime& a, const KlogTime& b);

/// Whether `a` was before `b`, also over a year's end: they are less than half a year apart. False where one is not known.
[[nodiscard]] bool is_earlier(const KlogTime& a, const KlogTime& b);

}  // namespace flowtap::flow
