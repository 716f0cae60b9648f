#include "stream/store/fill_draft.hpp"

#include <unistd.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "stream/lines/shown_lines.hpp"

namespace flowtap::flow {

Filled fill_text(std::string& text, LogPosition begin, std::span<const GapFill> fills) {
  Filled filled;
  const LogPosition end = begin + text.size();
  if (std::ranges::none_of(fills, [&](const GapFill& fill) { return fill.at >= begin && fill.at < end; }))
    return filled;
  const auto shown = static_cast<std::int64_t>(count_shown_lines(text));
  for (const GapFill& fill : std::views::reverse(fills)) {
    if (fill.at < begin || fill.at >= end || fill.text.empty()) continue;
    const std::size_t at = fill.at - begin;
    if (text.compare(at, fill.gap.size(), fill.gap) != 0) continue;
    text.replace(at, fill.gap.size(), fill.text);
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(fill.text, '\n')) - 1;
    filled.edits.push_back({fill.at, fill.gap.size(), fill.text.size(), lines});
    filled.bytes += fill.bytes;
    filled.lines += lines;
  }
  if (!filled.edits.empty()) filled.shown = static_cast<std::int64_t>(count_shown_lines(text)) - shown;
  return filled;
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
  filled = fill_text(text, base, fills);
  if (filled.edits.empty()) return {};
  if (text.size() > most) {
    cut = line_from(text, text.size() - most);
    // There is little room for a new file, or little is left behind a long line that has to go.
    if (text.size() - cut < length / 2)
      return std::unexpected(Error{"there is no room for what was missing in " + path, {}, ENOSPC});
    gone.add(std::string_view(text).substr(0, cut), whole);
    text.erase(0, cut);
  }
  FTAP_TRY_ASSIGN(made, create_log_file(fresh_path()));
  fresh = std::move(made);
  fresh.size = text.size();
  return write_log_file(fresh.fd, 0, text, fresh_path());
}

}  // namespace flowtap::flow
