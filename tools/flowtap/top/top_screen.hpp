// The text that `flowtap top` shows for one interval. Pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stats/rates.hpp"
#include "tools/flowtap/terminal/screen.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// One interval for all schedulers.
struct Interval {
  double end = 0;      ///< seconds since the epoch
  double seconds = 0;  ///< its length
  std::vector<stats::SchedulerRates> schedulers;
};

/// Lines for a live screen, at most `size.rows`, none wider than `size.columns`, without line ends. `message` is shown
/// below the title unless it is empty (for example, if the daemon does not answer). Types that did nothing keep their
/// place as long as there is room, so that nothing jumps.
[[nodiscard]] std::vector<std::string> top_screen(const Interval& interval, const std::string& message,
                                                  ScreenSize size, const Style& style);

/// One block of plain lines, the table of flowtapd --report.
[[nodiscard]] std::string top_block(const Interval& interval);

/// One line of JSON.
[[nodiscard]] std::string top_json(const Interval& interval);

}  // namespace flowtap::cli
