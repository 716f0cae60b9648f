// Bytes that capture has missed, out of what the runtime has kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// A hole in one output of one container. A few hundred bytes on both sides are enough. An empty side stands for the
/// start, or the end, of what the container wrote: then the text has to begin, or end, there.
struct Gap {
  std::string_view before;   ///< what was captured right before it
  std::string_view after;    ///< and right behind it
  std::uint64_t length = 0;  ///< bytes that are missing
};

struct Refill {
  std::string bytes;  ///< what belongs between the two sides
  /// They may not be what the container wrote: the sides were found, but not exactly `length` bytes apart, or not all
  /// of them, or with different bytes in between at different places, or they are too short to tell.
  bool approximate = false;
  std::size_t at = std::string_view::npos;  ///< where in the text they stand; npos: not as they are
};

/// Finds what is missing in `text`: append_bytes() of the lines of that output, in order. `format` tells what the
/// runtime may have done to the bytes: containerd drops "\r" before a newline, Docker replaces what is no UTF-8.
/// Both sides exactly `length` bytes apart count first, as they are or with all of the "\r" put back. Otherwise both must be
/// found once each, or as much of them as is found once; repetition (identical lines) has no best match. Nothing: no
/// refill. The time it takes is linear in the text.
[[nodiscard]] std::optional<Refill> find_missing(const Gap& gap, std::string_view text, RuntimeFormat format);

}  // namespace flowtap::flow
