// Gaps of a flow's log that are filled later, from elsewhere.
#include <algorithm>
#include <cerrno>
#include <ranges>

#include "flow/store/flow_log.hpp"

namespace flowtap::flow {
namespace {

// Of one flow; each is remembered for who reads meanwhile.
constexpr std::size_t kMostEdits = 65536;

std::uint64_t more_lines(const GapFill& fill) {
  return static_cast<std::uint64_t>(std::ranges::count(fill.text, '\n')) - 1;
}

}  // namespace

Result<std::uint64_t> FlowLog::fill(std::span<const GapFill> fills) {
  if (edits_.size() + fills.size() > kMostEdits)
    return std::unexpected(Error{"too many gaps of " + written_.id + " were filled", {}, ENOSPC});
  const LogPosition file_end = base() + written_.length;
  const bool in_file = std::ranges::any_of(
      fills, [&](const GapFill& fill) { return fill.at >= base() && fill.at < file_end; });
  std::string text;
  if (in_file) {
    FTAP_TRY_ASSIGN(read, content());
    text = std::move(read);
  }
  std::string buffer = buffer_;
  std::vector<Edit> edits;
  std::uint64_t filled = 0;
  std::uint64_t file_lines = 0;
  std::uint64_t file_filled = 0;
  std::uint64_t buffer_lines = 0;
  bool file_changed = false;
  // From the last on, so that those before it stand where they did.
  for (const GapFill& fill : std::views::reverse(fills)) {
    if (fill.at < base() || fill.text.empty()) continue;
    const bool of_file = fill.at < file_end;
    std::string& place = of_file ? text : buffer;
    const std::size_t at = fill.at - (of_file ? base() : file_end);
    if (at > place.size() || place.compare(at, fill.gap.size(), fill.gap) != 0) continue;
    place.replace(at, fill.gap.size(), fill.text);
    edits.push_back({fill.at, fill.gap.size(), fill.text.size(), more_lines(fill)});
    filled += fill.bytes;
    (of_file ? file_lines : buffer_lines) += more_lines(fill);
    file_filled += of_file ? fill.bytes : 0;
    file_changed = file_changed || of_file;
  }
  if (edits.empty()) return 0;
  if (file_changed) {
    FTAP_TRY(replace_content(text));
    written_.length = text.size();
    written_.lines += file_lines;
    written_.missing -= std::min(written_.missing, file_filled);
    written_.refilled += file_filled;
  }
  buffer_ = std::move(buffer);
  buffered_lines_ += buffer_lines;
  missing_ -= std::min(missing_, filled);
  refilled_ += filled;
  edits_.insert(edits_.end(), edits.begin(), edits.end());
  return filled;
}

void FlowLog::move(std::size_t edits, LogPosition& at, std::uint64_t& lines) const {
  for (; edits < edits_.size(); ++edits) {
    const Edit& edit = edits_[edits];
    if (at <= edit.at) continue;
    at = std::max(at, edit.at + edit.removed) - edit.removed + edit.added;
    lines += edit.lines;
  }
}

}  // namespace flowtap::flow
