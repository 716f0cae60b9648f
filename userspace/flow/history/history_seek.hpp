// Where in a plain file to begin, without reading all of it. Both read blocks of 64 KiB, and need memory for one line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flow/history/history_parser.hpp"

namespace flowtap::flow {

struct HistoryPlace {
  std::uint64_t offset = 0;  ///< a line begins there
  std::uint64_t lines = 0;   ///< of the format, from there to the last newline
};

/// The nearest place with at least `lines` lines behind it, found from the end backwards; the start of the file where
/// there are fewer. What cannot be read holds none.
[[nodiscard]] HistoryPlace place_of_last(int fd, HistoryFormat format, std::uint64_t lines);

/// A place before the first line that is not older than `time`, near to it: for files whose times rise.
[[nodiscard]] std::uint64_t place_before(int fd, HistoryFormat format, std::uint64_t time);

}  // namespace flowtap::flow
