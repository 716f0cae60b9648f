// What all live screens share: a title, and no more lines than there is room for. Pure functions.
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

/// `text`, at most so many columns of it.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t width);

/// The name of what is shown, when it was (seconds since the epoch) and for how long; 0: not at all yet. `message` stands under it
/// unless it is empty.
[[nodiscard]] std::vector<std::string> screen_title(std::string_view name, double end, double seconds,
                                                    std::string_view message, std::size_t width,
                                                    const Style& style);

/// As many of the lines as there is room for; the last one says that there are more.
[[nodiscard]] std::vector<std::string> cut_to_screen(std::vector<std::string> lines, ScreenSize size,
                                                     const Style& style);

}  // namespace flowtap::cli
