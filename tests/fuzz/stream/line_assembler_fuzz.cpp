// Any bytes in any pieces, with gaps, as lines: each byte is in one line, at its place, and no line is longer than one may be.
// Pairs of bytes say what comes: the length of the next piece, or a gap.
#include <cstdint>
#include <string>
#include <string_view>

#include "stream/lines/line_assembler.hpp"
#include "tests/fuzz/require.hpp"

using namespace flowtap::flow;
using flowtap::fuzz::require;

namespace {

/// Puts the lines together again.
class Check {
 public:
  explicit Check(std::string_view bytes) : bytes_(bytes) {}

  void take(const LineView& line) {
    require(line.text.size() <= kMaxLine);
    require(line.begin == at_ && line.end == line.begin + line.text.size() + (line.full ? 1 : 0));
    require(line.text.find('\n') == std::string_view::npos);
    // An empty part would be nothing.
    require(line.full || !line.text.empty());
    require(line.time != 0 && line.time >= time_);
    time_ = line.time;
    written_ += line.text;
    if (line.full) written_ += '\n';
    at_ = line.end;
  }
  void gap(std::uint64_t to) { at_ = to; }
  void end() const { require(written_ == bytes_); }

 private:
  std::string_view bytes_;
  std::string written_;
  std::uint64_t at_ = 0;
  std::uint64_t time_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first eighth says how the rest is cut, again and again.
  const std::size_t cuts = size / 8;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + cuts, size - cuts);
  LineAssembler lines;
  Check check(bytes);
  const auto take = [&check](const LineView& line) { check.take(line); };
  std::string_view rest = bytes;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const std::size_t how = cuts < 2 ? rest.size() : data[2 * i % cuts] * 256U + data[(2 * i + 1) % cuts];
    if (how % 16 == 15) {
      lines.finish(take);
      require(lines.unfinished() == 0);
      lines.skip_to(lines.next() + how);
      check.gap(lines.next());
    }
    // Pieces may also be longer than a line may be.
    const std::string_view piece = rest.substr(0, 1 + how % (2 * kMaxLine));
    const std::uint64_t before = lines.next();
    lines.add(piece, i + 1, take);
    require(lines.next() == before + piece.size() && lines.unfinished() <= kMaxLine);
    rest.remove_prefix(piece.size());
  }
  lines.finish(take);
  require(lines.unfinished() == 0);
  check.end();
  return 0;
}
