// One line that a runtime has kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap::flow {

/// A line, or a part of one. Does not own its text.
struct RuntimeLine {
  std::uint64_t time = 0;   ///< ns since 1970, by the runtime's clock when it read the bytes
  std::string_view output;  ///< "stdout" or "stderr"; outlives everything
  bool full = false;        ///< a line, or the end of one; else this output's next text belongs to it
  std::string_view text;    ///< without the newline
};

/// The two names that outputs have; empty for any other name.
[[nodiscard]] constexpr std::string_view output_name(std::string_view name) {
  if (name == "stdout") return "stdout";
  return name == "stderr" ? "stderr" : std::string_view();
}

/// Appends the bytes that the container wrote, as far as the runtime has kept them.
inline void append_bytes(std::string& out, const RuntimeLine& line) {
  out.append(line.text).append(line.full ? 1 : 0, '\n');
}

}  // namespace flowtap::flow
