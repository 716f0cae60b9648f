// The log of one flow: a file in the CRI format, and behind it, in memory, the lines that are not written to it yet.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "stream/lines/carriage_returns.hpp"
#include "stream/lines/cri_line.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/shown_lines.hpp"
#include "stream/store/fill_draft.hpp"
#include "stream/store/gone_lines.hpp"
#include "stream/store/index/flow_state.hpp"

namespace flowtap::flow {

/// Part of a flow's log.
struct LogPart {
  /// The flow had to make room: `from` and `lines_before` say where it ended, `ended` says that nothing comes in its place.
  bool gone = false;
  std::string text;                ///< lines of the CRI format; the last may be cut
  LogPosition from = 0;            ///< where it begins: behind what was asked for if that has made room
  LogPosition next = 0;            ///< behind it
  std::uint64_t lines_before = 0;  ///< of the flow's lines, where `from` is its oldest position; else 0
  bool ended = false;              ///< nothing will come behind it
  std::string into = {};           ///< of a flow that is gone: the flow that it goes on in, if it does
  std::size_t edits = 0;           ///< how many gaps had been filled by then; each moves what is behind it
};

/// Where a part stands that has to be read from the file. The descriptor keeps that part readable, unless the file is written
/// over.
struct FilePart {
  Fd fd;
  std::uint64_t at = 0;
  std::size_t size = 0;
  std::uint64_t overwritten = 0;  ///< how often it was then
};

/// Not thread-safe: FlowStore guards it. It has many members, since it knows its sums twice: as they are in the file, and with what
/// is still in memory.
class FlowLog {
 public:
  /// `whole`: it has all of its streams, else some of their lines.
  FlowLog(const std::string& dir, FlowState state, bool whole = true);

  [[nodiscard]] const std::string& id() const { return written_.id; }
  /// What is safe in the file.
  [[nodiscard]] const FlowState& written() const { return written_; }
  /// As FlowState has it.
  [[nodiscard]] std::optional<MissingCause> gap_cause() const { return gap_cause_; }
  /// What another log of this name begins with when this one has made room.
  [[nodiscard]] FlowState left() const;
  [[nodiscard]] std::uint64_t lines() const { return written_.lines + buffered_lines_; }
  /// Lines as people see them.
  [[nodiscard]] std::uint64_t shown() const { return shown_; }
  [[nodiscard]] const Before& before() const { return written_.before; }
  /// `amid`: whether stdout and stderr were in the middle of a line, which counts as one of the lines before. If such
  /// an output already has text here, that text went on with this line, and has counted it, too. If not, what comes
  /// will not count it.
  void set_before(Before before, const std::array<bool, 2>& amid = {});
  /// The bytes of its streams, up to where they stand here; for a log of some of a stream's lines, the bytes of those lines.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] std::uint64_t refilled() const { return refilled_; }
  /// The part of bytes() that stood before the oldest line that is still here.
  [[nodiscard]] std::uint64_t made_room() const { return std::min(made_room_, bytes()); }
  /// How many "\r" before newlines its streams had, and of these, those in made_room(). Nothing: it is not known.
  [[nodiscard]] std::optional<std::uint64_t> returns() const { return returns_; }
  [[nodiscard]] std::optional<std::uint64_t> made_room_returns() const { return made_room_returns_; }
  /// The runtime of its container; empty: it is not known, or there is no container.
  [[nodiscard]] const std::string& runtime() const { return written_.runtime; }
  void set_runtime(std::string runtime) { written_.runtime = std::move(runtime); }
  /// The bytes of streams that nobody will add to any more.
  [[nodiscard]] std::uint64_t past() const { return past_; }
  /// Up to where its other streams stand here.
  [[nodiscard]] const std::map<StreamNo, std::uint64_t>& streams() const { return streams_; }
  [[nodiscard]] LogPosition base() const { return written_.base; }
  [[nodiscard]] LogPosition end() const { return written_.base + written_.length + buffer_.size(); }
  [[nodiscard]] std::size_t buffered() const { return buffer_.size(); }
  [[nodiscard]] std::uint64_t ended() const { return ended_; }
  [[nodiscard]] std::uint64_t last() const { return last_; }
  void set_broke_off() { written_.broke_off = true; }
  [[nodiscard]] bool broke_off() const { return written_.broke_off; }
  /// Streams whose break the log has told or passed over.
  [[nodiscard]] const std::set<StreamNo>& breaks() const { return breaks_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] bool has_news() const { return !buffer_.empty() || ended_ != written_.ended; }

  /// Adds a line of a stream, or the part of it that is not there yet. False: it is there already, from before a start.
  bool add(StreamNo stream, std::string_view output, const LineView& line, CriTime& clock);
  /// Adds a gap of the stream from its own position up to `to`.
  bool add_gap(StreamNo stream, std::string_view output, std::uint64_t to, std::uint64_t time, CriTime& clock,
               MissingCause cause = MissingCause::kUnknown);
  /// For a log that has some of the stream's lines: this many bytes of the stream are missing, the last of them before `to`.
  /// False: the log knows already.
  bool add_source_gap(StreamNo stream, std::string_view output, std::uint64_t to, std::uint64_t bytes,
                      std::uint64_t time, CriTime& clock);
  /// The stream has ended for us, and not for its source. False: the log says so already.
  bool add_break(StreamNo stream, std::string_view output, std::uint64_t time, CriTime& clock);
  /// Its break is not told here, nor by a replay that finds later lines.
  void skip_break(StreamNo stream) { breaks_.insert(stream); }
  /// For a log that has some of several streams' lines: its last line is a part of a line of another stream than this one.
  [[nodiscard]] bool is_amid_line_of_other(StreamNo stream) const { return open_ && open_->stream != stream; }
  [[nodiscard]] bool is_amid_line() const { return open_.has_value(); }
  void set_ended(std::uint64_t time) { ended_ = time; }
  /// Where the stream stands in the log; nothing: no line of it is here.
  [[nodiscard]] std::optional<std::uint64_t> position_of(StreamNo stream) const;
  /// The stream goes on here from this offset. What it has said before had to make room.
  void begin_at(StreamNo stream, std::uint64_t offset) {
    std::uint64_t& position = streams_[stream];
    if (offset <= position) return;
    if (whole_) {
      made_room_ += offset - position;
      returns_ = made_room_returns_ = std::nullopt;
    }
    position = offset;
  }
  /// Nothing will be added of any other streams than these.
  template <typename IsKept>
  void forget_streams(IsKept&& is_kept) {
    std::erase_if(breaks_, [&](StreamNo stream) { return !is_kept(stream); });
    std::erase_if(streams_, [&](const auto& stream) {
      if (is_kept(stream.first)) return false;
      if (whole_) past_ += stream.second;
      return true;
    });
  }
  /// All of the log, in the file and in memory.
  [[nodiscard]] Result<std::string> text() const;
  /// Adds another flow's lines behind ours, and takes over where its streams stand. After an Error nothing has changed.
  [[nodiscard]] Status absorb(const FlowLog& other);
  /// Puts lines in the place of gaps, which are in order. First draft_fill(), then make() of the draft, during which the log may
  /// change, then fill(). A gap that is not there (any more) is left alone. If its file would be longer than `most`, its oldest lines
  /// make room, which may be some of those that were put there. Returns the bytes that are no longer missing; nothing: the log has
  /// changed so that a new draft is needed. After an Error nothing has changed. Call settle() afterwards, as after shrink().
  [[nodiscard]] Result<FillDraft> draft_fill(std::span<const GapFill> fills, std::uint64_t most) const;
  [[nodiscard]] Result<std::optional<std::uint64_t>> fill(FillDraft& draft, std::span<const GapFill> fills);
  [[nodiscard]] std::size_t edits() const { return edits_.size(); }
  /// Moves a position, and the number of lines before it, from where they stood after this many edits to where they stand now.
  void move(std::size_t edits, LogPosition& at, std::uint64_t& lines) const;
  /// The flow is gone: nothing is kept for it any more.
  void release() { std::string().swap(buffer_); }

  /// Writes what is in memory behind the file. After an Error it stays there.
  [[nodiscard]] Status flush();
  /// Makes room: removes lines from the oldest on, so that at most `bytes` are left. Returns how many bytes it removed. Where
  /// there is no room for another file, the old one is written over, and a kill amid that costs the file. Where that fails too,
  /// the file is given up.
  std::uint64_t shrink(std::uint64_t bytes);
  /// The file that shrink() or fill() has made takes the old one's place. Call it when the index has the state.
  void settle();
  void remove_file();
  /// The file is another flow's from now on.
  void rename(const std::string& dir, const std::string& id);

  /// What the file is known by.
  struct File {
    std::string path;
    std::uint64_t inode = 0;  ///< 0: there is none
    std::uint64_t length = 0;
  };
  [[nodiscard]] File file() const { return {current_path(), written_.inode, written_.length}; }
  /// Whether the file is there, with all that was written to it.
  [[nodiscard]] static bool is_whole(const File& file);
  /// Somebody has removed or cut the file: its lines have made room.
  void give_up_file();
  /// Bytes that were in a file which is not as it was written, since the last call.
  [[nodiscard]] std::uint64_t take_lost() { return std::exchange(lost_, 0); }

  /// Reads at most `limit` bytes. Bytes in memory are put into `part`; `file` says where to read bytes in the file.
  void read(LogPosition from, std::size_t limit, LogPart& part, FilePart& file) const;
  /// The bytes read from the file are the log's. False: read() anew.
  [[nodiscard]] bool has_kept(const FilePart& file) const { return file.overwritten == overwritten_; }

 private:
  enum class Heard : std::uint8_t { kNothing, kLine, kGap };

  [[nodiscard]] std::string new_path() const { return path_ + ".new"; }
  [[nodiscard]] std::string current_path() const { return unsettled_ ? new_path() : path_; }
  void find_file();
  [[nodiscard]] Result<Fd> open_file();
  void forget_file();
  void lose_file();
  [[nodiscard]] Result<std::string> content() const;
  [[nodiscard]] Status rewrite(std::uint64_t from);
  [[nodiscard]] Status replace_content(std::string& text);
  [[nodiscard]] Status replace_file(const std::string& made, std::uint64_t inode);
  void drop_buffered(std::uint64_t bytes);
  void end_line_of_other(StreamNo stream, std::uint64_t time, CriTime& clock);
  void note_cause(MissingCause cause);
  void put_gap(const CriLine& gap, CriTime& clock);
  void note_heard(std::string_view output, Heard what);
  void find_made_room();
  void note_gone(const GoneLines& gone);

  std::string path_;
  bool whole_;
  FlowState written_;
  std::string buffer_;
  std::uint64_t buffered_lines_ = 0;
  std::uint64_t shown_ = 0;
  ShownLines shown_lines_;
  std::array<Heard, 2> heard_{};  // what stdout and stderr began with since the log is in this process
  std::uint64_t lost_ = 0;
  std::map<StreamNo, std::uint64_t> streams_;  // as in the state, with what is in memory
  std::set<StreamNo> breaks_;                  // the same
  std::uint64_t past_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t refilled_ = 0;
  std::optional<MissingCause> gap_cause_;
  std::uint64_t made_room_ = 0;
  std::optional<std::uint64_t> returns_ = 0;
  std::optional<std::uint64_t> made_room_returns_ = 0;
  ReturnCount return_count_;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t ended_ = 0;
  bool unsettled_ = false;
  std::optional<OpenLine> open_;   // as in the state, with what is in memory
  std::vector<LogEdit> edits_;     // each with positions as they were after the edits before it
  std::uint64_t overwritten_ = 0;  // how often the file was cut in its place
};

}  // namespace flowtap::flow
