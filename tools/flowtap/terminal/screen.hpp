// Parts that all live screens share: a title, and a limit to the lines that fit. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace flowtap::cli {

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

/// `text`, cut to at most this many columns.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t width);

/// The title: what is shown, for which time (seconds since the epoch) and for how long; 0: there was no interval yet.
/// `message` is shown below it unless it is empty.
[[nodiscard]] std::vector<std::string> screen_title(std::string_view name, double end, double seconds,
                                                    std::string_view message, std::size_t width,
                                                    const Style& style);

/// The lines for which there is room; if some are left out, the last one says so.
[[nodiscard]] std::vector<std::string> cut_to_screen(std::vector<std::string> lines, ScreenSize size,
                                                     const Style& style);

}  // namespace flowtap::cli
