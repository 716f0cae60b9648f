// What `flowtap top` shows of one interval, as text. Pure functions.
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

/// One interval of all schedulers.
struct Interval {
  double end = 0;      ///< seconds since the epoch
  double seconds = 0;  ///< its length
  std::vector<stats::SchedulerRates> schedulers;
};

/// Lines for a live screen, at most `size.rows`, none wider than `size.columns`, without line ends. `message`
/// stands under the title unless it is empty (the daemon does not answer). Types that did nothing have their
/// place too, so that nothing jumps, as long as there is room for them.
[[nodiscard]] std::vector<std::string> top_screen(const Interval& interval, const std::string& message,
                                                  ScreenSize size, const Style& style);

/// One block of plain lines, the table of flowtapd --report.
[[nodiscard]] std::string top_block(const Interval& interval);

/// One line of JSON.
[[nodiscard]] std::string top_json(const Interval& interval);

}  // namespace flowtap::cli
