// Lines of a flow's log that make room, and what they stand for in its sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stream/lines/carriage_returns.hpp"
#include "stream/lines/cri_line.hpp"

namespace flowtap::flow {

/// Where the first line at `at` or behind it begins.
[[nodiscard]] inline std::size_t line_from(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  const std::size_t newline = text.find('\n', at - 1);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

struct GoneLines {
  std::uint64_t bytes = 0;    ///< of those that FlowLog::bytes() counts
  std::uint64_t lines = 0;    ///< of the CRI format
  std::uint64_t returns = 0;  ///< "\r" before newlines
  ReturnCount count = {};

  /// Adds whole lines, in order. `whole`: their log has all of its streams. If not, its gaps are of others, too.
  void add(std::string_view text, bool whole) {
    for (std::size_t newline = 0; (newline = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(newline + 1)) {
      const CriPart part = cri_part(text.substr(0, newline));
      if (whole || !part.gap) bytes += part.bytes;
      returns += count.take(part.output, part.full, part.text);
      ++lines;
    }
  }
};

}  // namespace flowtap::flow
