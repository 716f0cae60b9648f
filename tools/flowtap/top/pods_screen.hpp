// The text that `flowtap top --pods` shows for one interval. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "pod_rows.hpp"
#include "tools/flowtap/terminal/screen.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// Lines for a live screen, like those of top_screen(). `sorted` is the column by which the rows are sorted; it is
/// shown however narrow the terminal is.
[[nodiscard]] std::vector<std::string> pods_screen(const PodInterval& interval, std::size_t sorted,
                                                   const std::string& message, ScreenSize size,
                                                   const Style& style);

/// One block of plain lines, each as long as necessary.
[[nodiscard]] std::string pods_block(const PodInterval& interval, std::size_t sorted, const Style& style);

/// One line of JSON. Values that are not known are absent.
[[nodiscard]] std::string pods_json(const PodInterval& interval);

}  // namespace flowtap::cli
