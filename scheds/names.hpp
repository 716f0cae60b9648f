// The names of our sched_ext schedulers, for code that only has to know which exist.
#pragma once

#include <array>
#include <string_view>

namespace flowtap::scheds {

inline constexpr std::array<std::string_view, 2> kSchedulerNames = {"domain", "fifo"};

}  // namespace flowtap::scheds
