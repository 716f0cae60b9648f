// Numbers and bars as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/grouped.hpp"

namespace flowtap::cli {

/// What the terminal or file that shows the text can do.
struct Style {
  bool color = false;
  bool utf8 = false;

  /// `text` in an SGR style ("1" bold, "2" dim, "31" red), if there is color.
  [[nodiscard]] std::string paint(std::string_view sgr, std::string_view text) const;
  /// `text`, or `plain` if UTF-8 is not understood.
  [[nodiscard]] std::string_view pick(std::string_view text, std::string_view plain) const {
    return utf8 ? text : plain;
  }
};

/// Whether the user wants color; kAuto: if it is useful.
enum class Color : std::uint8_t { kAuto, kAlways, kNever };

/// The style for a stream. It has color if the user wants it; by default, if it is a terminal that is not dumb and
/// NO_COLOR is not set. UTF-8 depends on the locale.
[[nodiscard]] Style style_of(int fd, Color color = Color::kAuto);

/// A rate: "12,345", and "8.3" below 100.
[[nodiscard]] std::string rate_text(double per_second);

/// "512 B", "1.21 KiB", "64.0 MiB": three digits.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// A count that has more than this: "0 B+".
[[nodiscard]] inline std::string at_least(std::string count, bool has_more) {
  if (has_more) count += '+';
  return count;
}

/// "12.3 us" to "17.2 s", three digits.
[[nodiscard]] std::string seconds_text(double seconds, const Style& style);

/// "3 d 4 h", "12 min 5 s": the two largest units.
[[nodiscard]] std::string uptime_text(double seconds);

/// A bar of `width` columns, of which `share` (0..1) is filled; at least a sliver if the share is not 0.
[[nodiscard]] std::string bar(double share, std::size_t width, const Style& style);

/// The number of columns of `text`, where each character counts as one.
[[nodiscard]] std::size_t columns(std::string_view text);

/// `text` padded with spaces, or cut, to exactly `width` columns; `right` pads on the left.
[[nodiscard]] std::string fit(std::string_view text, std::size_t width, bool right = false);

}  // namespace flowtap::cli
