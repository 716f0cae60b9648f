// Any bytes as a runtime's file: what the fuzzers of runtime files share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/runtime_files/runtime_lines.hpp"

namespace flowtap::flow {

/// The same lines come out whatever the pieces are, and are within their bounds. The input's first byte is the size of pieces.
inline void check_runtime_lines(RuntimeFormat format, const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::size_t piece = std::size_t{data[0]} + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto read = [format, bytes](std::size_t at_once) {
    std::string out;
    RuntimeLines lines(format);
    for (std::size_t at = 0; at < bytes.size(); at += at_once) {
      // The copy has exactly this size, so that a read behind it is seen.
      const std::vector<char> part(
          bytes.begin() + static_cast<std::ptrdiff_t>(at),
          bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at + at_once, bytes.size())));
      lines.add({part.data(), part.size()}, [&out](const RuntimeLine& line) {
        if (line.text.size() > kMaxLine || output_name(line.output).empty()) std::abort();
        out += std::to_string(line.time) + std::string(line.output) + (line.full ? "F" : "P");
        append_bytes(out, line);
      });
    }
    lines.finish();
    return out + std::to_string(lines.skipped());
  };
  if (read(piece) != read(size)) std::abort();
}

}  // namespace flowtap::flow
