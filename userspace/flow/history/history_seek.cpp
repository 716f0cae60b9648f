#include "flow/history/history_seek.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flow/history/history_lines.hpp"
#include "flow/positioned_io.hpp"

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{64} << 10U;

std::uint64_t size_of(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && status.st_size > 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

class Blocks {
 public:
  explicit Blocks(int fd) : fd_(fd), block_(kBlock, '\0') {}

  // At most a block; less where the file ends or cannot be read. Lives until the next call.
  std::string_view read(std::uint64_t from, std::uint64_t to) {
    const std::size_t size = std::min(kBlock, to - from);
    const auto n = read_at(fd_, from, std::as_writable_bytes(std::span(block_)).first(size), "a log");
    return std::string_view(block_).substr(0, n.value_or(0));
  }

 private:
  int fd_;
  std::string block_;
};

// Where a line begins that is before `end`, about a block or more; or the start of the file.
std::uint64_t earlier_start(Blocks& blocks, std::uint64_t end) {
  // The newline right before `end` closes a line and begins none.
  for (std::uint64_t to = end - 1; to > kBlock; to -= kBlock) {
    const std::size_t at = blocks.read(to - kBlock, to).find('\n');
    if (at != std::string_view::npos) return to - kBlock + at + 1;
  }
  return 0;
}

std::uint64_t last_newline(Blocks& blocks, std::uint64_t end) {
  while (end > 0) {
    const std::uint64_t from = end - std::min(end, kBlock);
    const std::size_t at = blocks.read(from, end).rfind('\n');
    if (at != std::string_view::npos) return from + at + 1;
    end = from;
  }
  return 0;
}

std::uint64_t count_lines(Blocks& blocks, HistoryFormat format, std::uint64_t from, std::uint64_t to) {
  HistoryLines lines(format);
  while (from < to) {
    const std::string_view block = blocks.read(from, to);
    if (block.empty()) break;
    lines.add(block, [](const HistoryLine&) {});
    from += block.size();
  }
  return lines.lines();
}

struct Dated {
  std::uint64_t offset = 0;
  std::uint64_t time = 0;
};

// The first line of the format that begins behind `from`, if one does within two blocks of it.
std::optional<Dated> line_behind(Blocks& blocks, HistoryParser& parser, std::uint64_t from,
                                 std::uint64_t to) {
  std::string text;
  while (text.size() < 2 * kBlock) {
    const std::string_view block = blocks.read(from + text.size(), to);
    if (block.empty()) break;
    text += block;
  }
  std::size_t at = text.find('\n');
  while (at != std::string::npos) {
    const std::size_t next = text.find('\n', at + 1);
    if (next == std::string::npos) return std::nullopt;
    if (const auto line = parser.parse(std::string_view(text).substr(at + 1, next - at - 1)))
      return Dated{from + at + 1, line->time};
    at = next;
  }
  return std::nullopt;
}

}  // namespace

HistoryPlace place_of_last(int fd, HistoryFormat format, std::uint64_t lines) {
  Blocks blocks(fd);
  HistoryPlace place{last_newline(blocks, size_of(fd)), 0};
  while (place.offset > 0 && place.lines < lines) {
    const std::uint64_t start = earlier_start(blocks, place.offset);
    place.lines += count_lines(blocks, format, start, place.offset);
    place.offset = start;
  }
  return place;
}

std::uint64_t place_before(int fd, HistoryFormat format, std::uint64_t time) {
  Blocks blocks(fd);
  HistoryParser parser(format);
  std::uint64_t from = 0;
  // Where no line is found in the middle, the part before it is looked at: too early is only slower.
  for (std::uint64_t to = size_of(fd); to > from + 4 * kBlock;) {
    const std::uint64_t middle = from + (to - from) / 2;
    const auto line = line_behind(blocks, parser, middle, to);
    if (line && line->time < time)
      from = line->offset;
    else
      to = middle;
  }
  return from;
}

}  // namespace flowtap::flow
