#include "stream/repair/runtime_files/runtime_file_seek.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/positioned_io.hpp"
#include "stream/repair/runtime_files/runtime_lines.hpp"

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{64} << 10U;

// Reads at most a block into `into`, which has room for one; less where the file ends or cannot be read.
std::string_view block_at(int fd, std::string& into, std::uint64_t from, std::uint64_t to) {
  const std::size_t size = std::min(kBlock, to - from);
  const auto n = read_at(fd, from, std::as_writable_bytes(std::span(into)).first(size), "a log");
  return std::string_view(into).substr(0, n.value_or(0));
}

class Blocks {
 public:
  explicit Blocks(int fd) : fd_(fd), block_(kBlock, '\0') {}

  // The block lives until the next call.
  std::string_view read(std::uint64_t from, std::uint64_t to) { return block_at(fd_, block_, from, to); }

 private:
  int fd_;
  std::string block_;
};

struct Dated {
  std::uint64_t offset = 0;
  std::uint64_t time = 0;
};

// The first line of the format that begins behind `from`, if one does within two blocks of it.
std::optional<Dated> line_behind(Blocks& blocks, RuntimeLineParser& parser, std::uint64_t from,
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

std::uint64_t size_of(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && status.st_size > 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

LastLines::LastLines(int fd, RuntimeFormat format, std::uint64_t lines)
    : fd_(fd), wanted_(lines), lines_(format), block_(kBlock, '\0'), edge_(size_of(fd)) {}

bool LastLines::look(std::size_t budget) {
  while (!done_) {
    if (budget == 0) return false;
    look_at_block();
    budget -= std::min<std::size_t>(budget, kBlock);
  }
  return true;
}

void LastLines::look_at_block() {
  switch (for_) {
    case For::kEnd: {
      const std::uint64_t from = edge_ - std::min(edge_, kBlock);
      const std::size_t newline = read(from, edge_).rfind('\n');
      edge_ = from;
      if (newline != std::string_view::npos)
        begin_before(from + newline + 1);
      else if (from == 0)
        begin_before(0);
      return;
    }
    case For::kStart:
      if (edge_ > kBlock) {
        edge_ -= kBlock;
        const std::size_t newline = read(edge_, edge_ + kBlock).find('\n');
        if (newline == std::string_view::npos) return;
        edge_ += newline + 1;
      } else {
        edge_ = 0;
      }
      start_ = edge_;
      for_ = For::kLines;
      return;
    case For::kLines: {
      const std::string_view block = read(edge_, place_.offset);
      lines_.add(block, [](const RuntimeLine&) {});
      edge_ += block.size();
      if (!block.empty() && edge_ < place_.offset) return;
      place_.lines += lines_.lines();
      lines_.finish();
      begin_before(start_);
      return;
    }
  }
}

// All lines behind `offset` are counted.
void LastLines::begin_before(std::uint64_t offset) {
  place_.offset = offset;
  done_ = offset == 0 || place_.lines >= wanted_;
  // The newline right before `offset` ends a line and begins none.
  edge_ = offset - 1;
  for_ = For::kStart;
}

std::string_view LastLines::read(std::uint64_t from, std::uint64_t to) {
  return block_at(fd_, block_, from, to);
}

std::uint64_t place_before(int fd, RuntimeFormat format, std::uint64_t time) {
  Blocks blocks(fd);
  RuntimeLineParser parser(format);
  std::uint64_t from = 0;
  // Where no line is found in the middle, the part before it is looked at: to begin too early is only slower.
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
