// The family of dispatch counts, as /metrics and the API name it.
#pragma once

#include <string>

#include "tests/support/metrics/promtext.hpp"

namespace flowtap::test {

inline constexpr const char* kDispatched = "dispatched_tasks_total";

/// The key of one of its types, of the kernel's own scheduler.
[[nodiscard]] inline std::string dispatched(const std::string& type) {
  return series_key(kDispatched, {{"scheduler", "kernel"}, {"type", type}});
}

}  // namespace flowtap::test
