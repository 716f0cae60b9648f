// The file of a flow's log with lines in the place of gaps, put together beside it. This takes long, and nobody should wait for
// it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "stream/store/gone_lines.hpp"
#include "stream/store/index/flow_state.hpp"
#include "stream/store/log_file.hpp"

namespace flowtap::flow {

/// Lines in the place of a gap.
struct GapFill {
  LogPosition at = 0;       ///< of the gap's line
  std::string gap;          ///< that line, with its newline
  std::string text;         ///< lines of the CRI format
  std::uint64_t bytes = 0;  ///< bytes that are no longer missing
};

/// A change that moved everything behind it.
struct LogEdit {
  LogPosition at = 0;
  std::uint64_t removed = 0;  ///< bytes
  std::uint64_t added = 0;
  std::uint64_t lines = 0;  ///< more than before
};

/// What became of some gaps.
struct Filled {
  std::vector<LogEdit> edits;  ///< from the last on, so that those before it still stand where they did
  std::uint64_t bytes = 0;     ///< bytes that are no longer missing
  std::uint64_t lines = 0;     ///< more than before
  std::int64_t shown = 0;      ///< more lines as people see them; fewer, if it has joined the halves of one
};

/// A text with lines in the place of gaps.
struct FilledText {
  std::string text;
  Filled filled;          ///< no edits: none of the gaps stood in the text, and this one is empty
  std::uint64_t cut = 0;  ///< bytes of its oldest lines that made room, some of which may have been found
  GoneLines gone;         ///< these lines
  std::uint64_t captured_gone = 0;  ///< bytes of these that were in the text before
  std::uint64_t found_left = 0;     ///< bytes of the lines in the place of gaps that did not make room
};

/// Fills the gaps that stand in the text, which begins at `begin`. It takes time that is linear in the texts.
/// @param fills  in the order of their places
/// @param most   bytes that the text may have then
/// @param whole  as GoneLines::add()
[[nodiscard]] FilledText fill_text(std::string_view text, LogPosition begin, std::span<const GapFill> fills,
                                   std::uint64_t most = ~std::uint64_t{0}, bool whole = true);

/// A draft for a log as it was when the draft was asked for (FlowLog::draft_fill()).
struct FillDraft {
  FillDraft() = default;
  FillDraft(FillDraft&& other) noexcept = default;
  FillDraft& operator=(FillDraft&&) = delete;
  /// Removes the file if nobody has taken it.
  ~FillDraft();

  /// Writes the file, if there are such gaps in the one before. It needs nothing of the log.
  [[nodiscard]] Status make(std::span<const GapFill> fills);
  /// The file has got another name.
  void taken() { fresh.fd.reset(); }

  std::string path;  ///< of the log's file
  LogFile before;    ///< that file; none: no gap stands in it
  LogPosition base = 0;
  std::uint64_t length = 0;
  std::uint64_t most = 0;  ///< bytes that the file may have afterwards
  bool whole = true;       ///< as of FlowLog
  std::uint64_t overwritten = 0;
  std::size_t edits = 0;

  LogFile fresh;  ///< none: nothing was filled
  Filled filled;
  std::uint64_t cut = 0;  ///< bytes of its oldest lines that made room, some of which may have been found
  GoneLines gone;         ///< these lines
  [[nodiscard]] std::string fresh_path() const { return path + ".fill"; }
};

}  // namespace flowtap::flow
