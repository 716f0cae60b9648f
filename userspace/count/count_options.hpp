// What the count path is told to do.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "scheds/names.hpp"

namespace flowtap {

/// Plain values. The configuration's row count.NAME says what each one means and accepts.
struct CountOptions {
  bool enabled = true;
  bool operator==(const CountOptions&) const = default;
};

/// The value of `scheduler` that stands for the kernel's own.
inline constexpr std::string_view kNoScheduler = "off";

/// All that `scheduler` may be.
inline constexpr auto kSchedulerChoices = [] {
  std::array<std::string_view, scheds::kSchedulerNames.size() + 1> all = {kNoScheduler};
  std::ranges::copy(scheds::kSchedulerNames, all.begin() + 1);
  return all;
}();

}  // namespace flowtap
