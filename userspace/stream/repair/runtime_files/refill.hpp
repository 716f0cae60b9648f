// Finds bytes that capture has missed in what the runtime has kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// A gap in one output of one container. A few hundred bytes on both sides are enough. An empty side stands for the start, or
/// the end, of what the container wrote: the text must then begin, or end, there.
struct Gap {
  std::string_view before;   ///< what was captured right before it
  std::string_view after;    ///< what was captured right behind it
  std::uint64_t length = 0;  ///< bytes that are missing
};

/// A side with fewer bytes than this says nothing.
constexpr std::size_t kLeastSide = 24;

struct Refill {
  std::string bytes;  ///< what belongs between the two sides
  /// The bytes may not be what the container wrote. The sides were not found exactly `length` bytes apart, or only a part of them was
  /// found, or they were found in several places with different bytes between, or they are too short to tell. The same holds where
  /// bytes may have been dropped or replaced and only one side tells the place.
  bool approximate = false;
  std::size_t at = std::string_view::npos;  ///< where they stand in the text; npos: not exactly as here
};

/// Finds the missing bytes in `text`: append_bytes() of the lines of that output, in order. `format` tells what the runtime may
/// have done to the bytes: containerd drops "\r" before a newline, Docker replaces bytes that are not UTF-8. Two sides that stand
/// exactly `length` bytes apart are preferred, as they are or with all of the "\r" put back. Otherwise each side, or as much of it as
/// is found at all, has to be there once; among identical lines there is no best match. Nothing: no refill. The time that this takes
/// is linear in the text.
[[nodiscard]] std::optional<Refill> find_missing(const Gap& gap, std::string_view text, RuntimeFormat format);

}  // namespace flowtap::flow
