// Filling gaps of a flow's log later, from elsewhere.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <optional>
#include <utility>

#include "stream/store/flow_log.hpp"
#include "stream/store/log_file.hpp"

namespace flowtap::flow {
namespace {

// The most edits of one flow. Each is remembered for those who read meanwhile.
constexpr std::size_t kMostEdits = 65536;

void add_to(std::uint64_t& count, std::int64_t more) {
  const auto sum = static_cast<std::int64_t>(count) + more;
  count = sum > 0 ? static_cast<std::uint64_t>(sum) : 0;
}

}  // namespace

Result<FillDraft> FlowLog::draft_fill(std::span<const GapFill> fills) const {
  if (edits_.size() + fills.size() > kMostEdits)
    return std::unexpected(Error{"too many gaps of " + written_.id + " were filled", {}, ENOSPC});
  FillDraft draft;
  draft.path = path_;
  draft.base = base();
  draft.length = written_.length;
  draft.overwritten = overwritten_;
  draft.edits = edits_.size();
  draft.before.inode = written_.inode;
  const LogPosition file_end = base() + written_.length;
  if (std::ranges::none_of(fills,
                           [&](const GapFill& fill) { return fill.at >= base() && fill.at < file_end; }))
    return draft;
  FTAP_TRY_ASSIGN(file, open_log_file(current_path(), O_RDONLY));
  if (!file || file->inode != written_.inode) return fail(path_ + " is gone");
  draft.before = std::move(*file);
  return draft;
}

Result<std::optional<std::uint64_t>> FlowLog::fill(FillDraft& draft, std::span<const GapFill> fills) {
  if (draft.path != path_ || draft.before.inode != written_.inode || draft.base != base() ||
      draft.length > written_.length || draft.overwritten != overwritten_ || draft.edits != edits_.size())
    return std::nullopt;
  // A gap was in memory then, and is in the file now.
  const LogPosition drafted = base() + draft.length;
  const LogPosition file_end = base() + written_.length;
  if (!draft.fresh.fd.valid() && std::ranges::any_of(fills, [&](const GapFill& fill) {
        return fill.at >= drafted && fill.at < file_end;
      }))
    return std::nullopt;
  // What was written to the file meanwhile.
  std::string behind;
  Filled in_behind;
  if (draft.fresh.fd.valid() && written_.length > draft.length) {
    FTAP_TRY(read_log_file(draft.before.fd, draft.length, written_.length - draft.length, path_, behind));
    if (behind.size() != written_.length - draft.length) return fail(path_ + " is shorter than it was");
    in_behind = fill_text(behind, drafted, fills);
  }
  std::string buffer = buffer_;
  const Filled in_buffer = fill_text(buffer, file_end, fills);
  if (draft.fresh.fd.valid()) {
    const std::uint64_t length = draft.fresh.size + behind.size();
    if (!behind.empty())
      FTAP_TRY(write_log_file(draft.fresh.fd, draft.fresh.size, behind, draft.fresh_path()));
    FTAP_TRY(replace_file(draft.fresh_path(), draft.fresh.inode));
    const std::uint64_t filled = draft.filled.bytes + in_behind.bytes;
    written_.length = length;
    written_.lines += draft.filled.lines + in_behind.lines;
    add_to(written_.shown, draft.filled.shown + in_behind.shown);
    written_.missing -= std::min(written_.missing, filled);
    written_.refilled += filled;
    draft.taken();
  }
  buffer_ = std::move(buffer);
  buffered_lines_ += in_buffer.lines;
  const std::uint64_t filled = draft.filled.bytes + in_behind.bytes + in_buffer.bytes;
  missing_ -= std::min(missing_, filled);
  refilled_ += filled;
  add_to(shown_, draft.filled.shown + in_behind.shown + in_buffer.shown);
  for (const Filled* part : std::initializer_list<const Filled*>{&in_buffer, &in_behind, &draft.filled})
    edits_.insert(edits_.end(), part->edits.begin(), part->edits.end());
  return filled;
}

void FlowLog::move(std::size_t edits, LogPosition& at, std::uint64_t& lines) const {
  for (; edits < edits_.size(); ++edits) {
    const LogEdit& edit = edits_[edits];
    if (at <= edit.at) continue;
    at = std::max(at, edit.at + edit.removed) - edit.removed + edit.added;
    lines += edit.lines;
  }
}

}  // namespace flowtap::flow
