// How the file of a flow's log is replaced: its oldest lines make room, and what was found takes the place of gaps.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <optional>
#include <utility>

#include "stream/store/flow_log.hpp"
#include "stream/store/log_file.hpp"

namespace flowtap::flow {
namespace {

// Where the first line at `from` or behind it begins, in this many bytes. `goes_away(lines)` gets what is before it. That part is read
// in small pieces: over time it is as much as is written, and it should not push everything else out of the caches.
template <typename Goes>
Result<std::uint64_t> find_cut(const Fd& fd, std::uint64_t from, std::uint64_t length,
                               const std::string& path, Goes&& goes_away) {
  constexpr std::uint64_t kPart = std::uint64_t{64} << 10U;
  std::uint64_t cut = 0;
  std::string part;
  std::string rest;  // of a line that the pieces divide
  while (from > 0 && cut < length) {
    FTAP_TRY(read_log_file(fd, cut, std::min(kPart, length - cut), path, part));
    if (part.empty()) break;
    const std::uint64_t last = from - 1;  // the last byte that goes, if a line ends there
    const std::size_t newline =
        last < cut + part.size() ? part.find('\n', last > cut ? last - cut : 0) : std::string::npos;
    const std::size_t goes = newline == std::string::npos ? part.size() : newline + 1;
    rest.append(part, 0, goes);
    const std::size_t whole = rest.rfind('\n') + 1;
    goes_away(std::string_view(rest).substr(0, whole));
    rest.erase(0, whole);
    cut += goes;
    if (newline != std::string::npos) break;
  }
  return cut;
}

// The most edits of one flow. Each is remembered for those who read meanwhile.
constexpr std::size_t kMostEdits = 65536;

void add_to(std::uint64_t& count, std::int64_t more) {
  const auto sum = static_cast<std::int64_t>(count) + more;
  count = sum > 0 ? static_cast<std::uint64_t>(sum) : 0;
}

}  // namespace

std::uint64_t FlowLog::shrink(std::uint64_t bytes) {
  const std::uint64_t before = end() - base();
  if (before <= bytes) return 0;
  const std::uint64_t of_file = bytes > buffer_.size() ? bytes - buffer_.size() : 0;
  if (of_file == 0 || !rewrite(written_.length - std::min(of_file, written_.length))) {
    remove_file();
    forget_file();
    drop_buffered(bytes);
  }
  return before - (end() - base());
}

// Makes the file what it is without its first `from` bytes and without the rest of the line that these cut.
Status FlowLog::rewrite(std::uint64_t from) {
  FTAP_TRY_ASSIGN(file, open_log_file(current_path(), O_RDWR));
  if (!file || file->inode != written_.inode) return fail(path_ + " is gone");
  GoneLines gone;
  FTAP_TRY_ASSIGN(cut, find_cut(file->fd, from, written_.length, path_,
                                [&](std::string_view lines) { gone.add(lines, whole_); }));
  std::string text;
  FTAP_TRY(read_log_file(file->fd, cut, written_.length - cut, path_, text));
  if (!replace_content(text)) {
    ++overwritten_;
    // The file is emptied first: a start that finds it shorter than it should be then knows that it is not whole.
    if (::ftruncate(file->fd.get(), 0) != 0) return fail_errno(errno, "cannot empty " + path_);
    FTAP_TRY(write_log_file(file->fd, 0, text, path_));
  }
  written_.base += cut;
  written_.length = text.size();
  note_gone(gone);
  return {};
}

Status FlowLog::replace_content(std::string& text) {
  const std::string made = path_ + ".tmp";
  FTAP_TRY_ASSIGN(fresh, create_log_file(made));
  auto done = write_log_file(fresh.fd, 0, text, made);
  if (done) done = replace_file(made, fresh.inode);
  if (!done) ::unlink(made.c_str());
  return done;
}

// A new file replaces the old one. It takes the old one's name when the index knows it.
Status FlowLog::replace_file(const std::string& made, std::uint64_t inode) {
  if (::rename(made.c_str(), new_path().c_str()) != 0) return fail_errno(errno, "cannot rename " + made);
  written_.inode = inode;
  unsettled_ = true;
  return {};
}

// To be called only where there is no file before the buffer.
void FlowLog::drop_buffered(std::uint64_t bytes) {
  if (buffer_.size() <= bytes) return;
  const std::size_t cut = line_from(buffer_, buffer_.size() - bytes);
  GoneLines gone;
  gone.add(std::string_view(buffer_).substr(0, cut), whole_);
  note_gone(gone);
  buffer_.erase(0, cut);
  written_.base += cut;
  written_.lines += gone.lines;
  buffered_lines_ -= gone.lines;
}

void FlowLog::settle() {
  if (unsettled_ && ::rename(new_path().c_str(), path_.c_str()) == 0) unsettled_ = false;
}

Result<FillDraft> FlowLog::draft_fill(std::span<const GapFill> fills, std::uint64_t most) const {
  if (edits_.size() + fills.size() > kMostEdits)
    return std::unexpected(Error{"too many gaps of " + written_.id + " were filled", {}, ENOSPC});
  FillDraft draft;
  draft.path = path_;
  draft.base = base();
  draft.most = most;
  draft.whole = whole_;
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
  FilledText of_behind;
  if (draft.fresh.fd.valid() && written_.length > draft.length) {
    FTAP_TRY(read_log_file(draft.before.fd, draft.length, written_.length - draft.length, path_, behind));
    if (behind.size() != written_.length - draft.length) return fail(path_ + " is shorter than it was");
    of_behind = fill_text(behind, drafted, fills);
    if (!of_behind.filled.edits.empty()) behind = std::move(of_behind.text);
  }
  FilledText of_buffer = fill_text(buffer_, file_end, fills);
  const Filled& in_behind = of_behind.filled;
  const Filled& in_buffer = of_buffer.filled;
  if (draft.fresh.fd.valid()) {
    const std::uint64_t length = draft.fresh.size + behind.size();
    if (!behind.empty())
      FTAP_TRY(write_log_file(draft.fresh.fd, draft.fresh.size, behind, draft.fresh_path()));
    FTAP_TRY(replace_file(draft.fresh_path(), draft.fresh.inode));
    const std::uint64_t filled = draft.filled.bytes + in_behind.bytes;
    written_.base += draft.cut;
    written_.length = length;
    written_.lines += draft.filled.lines + in_behind.lines;
    add_to(written_.shown, draft.filled.shown + in_behind.shown);
    written_.missing -= std::min(written_.missing, filled);
    written_.refilled += filled;
    if (draft.cut > 0) note_gone(draft.gone);
    draft.taken();
  }
  if (!in_buffer.edits.empty()) buffer_ = std::move(of_buffer.text);
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
