#include "stream/store/fill_draft.hpp"

#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "stream/lines/shown_lines.hpp"

namespace flowtap::flow {
namespace {

// Puts a text together from pieces of whole lines, without the first `skip` bytes and without the rest of the line that these cut.
class Assembly {
 public:
  Assembly(FilledText& to, std::uint64_t skip, bool whole) : to_(to), skip_(skip), whole_(whole) {}

  void add_captured(std::string_view piece) { to_.captured_gone += add(piece); }
  void add_found(std::string_view piece) { to_.found_left += piece.size() - add(piece); }
  [[nodiscard]] std::uint64_t shown() const { return shown_; }

 private:
  // Returns how much of it makes room.
  std::uint64_t add(std::string_view piece) {
    shown_ += count_shown_lines(piece, lines_);
    const std::size_t goes = skip_ < piece.size() ? line_from(piece, skip_) : piece.size();
    skip_ -= std::min<std::uint64_t>(skip_, goes);
    to_.cut += goes;
    to_.gone.add(piece.substr(0, goes), whole_);
    to_.text += piece.substr(goes);
    return goes;
  }

  FilledText& to_;
  std::uint64_t skip_;
  bool whole_;
  ShownLines lines_;
  std::uint64_t shown_ = 0;
};

}  // namespace

FilledText fill_text(std::string_view text, LogPosition begin, std::span<const GapFill> fills,
                     std::uint64_t most, bool whole) {
  FilledText to;
  Filled& filled = to.filled;
  std::vector<const GapFill*> there;
  std::uint64_t size = text.size();
  std::size_t done = 0;
  for (const GapFill& fill : fills) {
    if (fill.at < begin + done || fill.at >= begin + text.size() || fill.text.empty()) continue;
    const std::size_t at = fill.at - begin;
    if (text.compare(at, fill.gap.size(), fill.gap) != 0) continue;
    done = at + fill.gap.size();
    size += fill.text.size();
    size -= fill.gap.size();
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(fill.text, '\n')) - 1;
    filled.edits.push_back({fill.at, fill.gap.size(), fill.text.size(), lines});
    filled.bytes += fill.bytes;
    filled.lines += lines;
    there.push_back(&fill);
  }
  if (there.empty()) return to;
  std::ranges::reverse(filled.edits);
  to.text.reserve(std::min(size, most));
  Assembly assembly(to, size - std::min(size, most), whole);
  std::size_t from = 0;
  for (const GapFill* fill : there) {
    assembly.add_captured(text.substr(from, fill->at - begin - from));
    assembly.add_found(fill->text);
    from = fill->at - begin + fill->gap.size();
  }
  assembly.add_captured(text.substr(from));
  filled.shown =
      static_cast<std::int64_t>(assembly.shown()) - static_cast<std::int64_t>(count_shown_lines(text));
  return to;
}

FillDraft::~FillDraft() {
  if (fresh.fd.valid()) ::unlink(fresh_path().c_str());
}

Status FillDraft::make(std::span<const GapFill> fills) {
  if (!before.fd.valid()) return {};
  std::string text;
  FTAP_TRY(read_log_file(before.fd, 0, length, path, text));
  // The file is being written over, which fill() sees, or somebody has cut it, and there is no gap to fill any more.
  if (text.size() != length) return {};
  FilledText made = fill_text(text, base, fills, most, whole);
  if (made.filled.edits.empty()) return {};
  // What was captured does not go for nothing, as it would if a found line is too long or the file system is full.
  if (made.captured_gone > made.found_left)
    return std::unexpected(Error{"there is no room for what was missing in " + path, {}, ENOSPC});
  FTAP_TRY_ASSIGN(file, create_log_file(fresh_path()));
  fresh = std::move(file);
  fresh.size = made.text.size();
  filled = std::move(made.filled);
  cut = made.cut;
  gone = made.gone;
  return write_log_file(fresh.fd, 0, made.text, fresh_path());
}

}  // namespace flowtap::flow
