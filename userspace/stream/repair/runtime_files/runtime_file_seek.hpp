// Where to begin in a plain file, without reading all of it. Both read blocks of 64 KiB, and need memory for a block and a line.
#pragma once

#include <cstddef>
#include <cstdint>

#include <string>
#include <string_view>

#include "stream/repair/runtime_files/runtime_line_parser.hpp"
#include "stream/repair/runtime_files/runtime_lines.hpp"

namespace flowtap::flow {

/// The size in bytes; 0 if it cannot be asked.
[[nodiscard]] std::uint64_t size_of(int fd);

struct RuntimeFilePosition {
  std::uint64_t offset = 0;  ///< a line begins there
  std::uint64_t lines = 0;   ///< of the format, from there to the last newline
};

/// The nearest place with at least `lines` lines behind it, found from the end backwards; the start of the file if there are
/// fewer. A part that cannot be read holds no lines. It works in steps, as a file may be large and all of it may be asked for.
class LastLines {
 public:
  /// `fd` stays the caller's and must outlive this.
  LastLines(int fd, RuntimeFormat format, std::uint64_t lines);

  /// Reads about `budget` bytes. True: the place is found.
  [[nodiscard]] bool look(std::size_t budget);
  [[nodiscard]] const RuntimeFilePosition& place() const { return place_; }

 private:
  enum class For : std::uint8_t {
    kEnd,    // looks for the last newline
    kStart,  // looks for a line's start, about a block before the counted lines
    kLines,  // counts the lines from there on
  };
  void look_at_block();
  void begin_before(std::uint64_t offset);
  [[nodiscard]] std::string_view read(std::uint64_t from, std::uint64_t to);

  int fd_;
  std::uint64_t wanted_;
  RuntimeLines lines_;
  std::string block_;
  For for_ = For::kEnd;
  std::uint64_t edge_;  // the edge of what was read in this step
  std::uint64_t start_ = 0;
  RuntimeFilePosition place_;
  bool done_ = false;
};

/// A place near and before the first line that is not older than `time`, in a file whose times rise.
[[nodiscard]] std::uint64_t place_before(int fd, RuntimeFormat format, std::uint64_t time);

}  // namespace flowtap::flow
