// Where the times of a log go back, its clock was set back, or what follows is a part of another log, or a page that belongs before.
// The size of the step does not tell.
#pragma once

#include <span>
#include <string_view>

#include "stream/lines/klog/klog_time.hpp"

namespace flowtap::cli {

/// A record, or its first line.
struct TimedRecord {
  std::string_view text;
  flow::KlogTime time;
};

/// Whether the order in which the records stand leaves more pods bound than that of their times: a pod that is bound is not tried again.
[[nodiscard]] bool leaves_more_bound(std::span<const TimedRecord> records);

/// Whether the clock was set back between them: what stands after was written later. `before` is a part in the order of its times, and
/// `after` begins more than TimeSteps::kOutOfOrder before its end and goes on as far as its own times do. Neither is empty.
[[nodiscard]] bool is_clock_set_back(std::span<const TimedRecord> before, std::span<const TimedRecord> after);

}  // namespace flowtap::cli
