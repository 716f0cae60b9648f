#include "stream/store/flow_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "stream/lines/output_index.hpp"
#include "stream/store/file_name.hpp"
#include "stream/store/log_file.hpp"

namespace flowtap::flow {
namespace {

// Memory that a buffer keeps for its next lines: enough for some each second. Thousands of flows have one. Flows that say more
// write so many lines at a time that this memory is little beside them.
constexpr std::size_t kKeptBuffer = std::size_t{2} << 10U;

}  // namespace

FlowLog::FlowLog(const std::string& dir, FlowState state, bool whole)
    : path_(dir + "/" + flow_file_name(state.id)),
      whole_(whole),
      written_(std::move(state)),
      shown_(written_.shown),
      streams_(written_.streams),
      breaks_(written_.breaks),
      past_(written_.past),
      missing_(written_.missing),
      refilled_(written_.refilled),
      gap_cause_(written_.gap_cause),
      made_room_(written_.made_room.value_or(0)),
      returns_(written_.returns),
      made_room_returns_(written_.made_room_returns),
      first_(written_.first),
      last_(written_.last),
      ended_(written_.ended),
      open_(written_.open) {
  shown_lines_.go_on(written_.amid);
  if (written_.base != 0) heard_.fill(Heard::kLine);  // it goes on with another log of the name
  if (written_.inode != 0) find_file();
  if (!written_.made_room) find_made_room();
  if (made_room_ == 0) made_room_returns_ = 0;
  if (written_.length == 0) open_.reset();
}

// A process that was killed may have left more than counts.
void FlowLog::find_file() {
  const auto opened = open_log_file(path_, O_RDWR);
  const auto* file = opened && *opened ? &**opened : nullptr;
  const bool is_it = file != nullptr && file->inode == written_.inode && file->size >= written_.length;
  if (!is_it || ::ftruncate(file->fd.get(), static_cast<off_t>(written_.length)) != 0) lose_file();
}

void FlowLog::lose_file() {
  lost_ += written_.length;
  forget_file();
}

// Its lines are gone.
void FlowLog::forget_file() {
  std::uint64_t there = written_.past;
  if (whole_)
    for (const auto& [stream, position] : written_.streams) there += position;
  if (written_.length > 0 && there > made_room_) {
    made_room_ = there;
    made_room_returns_ = written_.returns;
  }
  written_.made_room = made_room_;
  written_.made_room_returns = made_room_returns_;
  written_.base += written_.length;
  written_.lines_before = written_.lines;
  written_.length = 0;
  written_.inode = 0;
  unsettled_ = false;
}

// It is what the streams had before the lines that are there.
void FlowLog::find_made_room() {
  GoneLines there;
  if (const auto text = content()) there.add(*text, whole_);
  made_room_ = bytes() - std::min(bytes(), there.bytes);
  written_.made_room = made_room_;
}

// A gap ends a line to those who see it, so what comes behind it is another one.
void FlowLog::set_before(Before before, const std::array<bool, 2>& amid) {
  std::array<bool, 2> goes_on{};
  for (std::size_t output = 0; output < amid.size(); ++output) {
    if (!amid.at(output)) continue;
    goes_on.at(output) = heard_.at(output) == Heard::kNothing;
    if (goes_on.at(output)) written_.amid.at(output) = true;
    if (heard_.at(output) == Heard::kLine && before.lines > 0) --before.lines;
  }
  written_.before = before;
  shown_lines_.go_on(goes_on);
}

void FlowLog::note_heard(std::string_view output, Heard what) {
  Heard& first = heard_.at(output_index(output));
  if (first == Heard::kNothing) first = what;
}

std::optional<std::uint64_t> FlowLog::position_of(StreamNo stream) const {
  const auto at = streams_.find(stream);
  return at == streams_.end() ? std::nullopt : std::optional(at->second);
}

std::uint64_t FlowLog::bytes() const {
  std::uint64_t bytes = past_;
  if (!whole_) return bytes;
  for (const auto& [stream, position] : streams_) bytes += position;
  return bytes;
}

Status FlowLog::absorb(const FlowLog& other) {
  FTAP_TRY_ASSIGN(text, other.text());
  buffer_ += text;
  buffered_lines_ += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  shown_ += other.shown_;
  shown_lines_ = other.shown_lines_;
  for (std::size_t output = 0; output < heard_.size(); ++output)
    if (heard_.at(output) == Heard::kNothing) heard_.at(output) = other.heard_.at(output);
  if (other.before().state != Before::State::kNone) set_before(other.before());
  for (const auto& [stream, position] : other.streams_) {
    std::uint64_t& ours = streams_[stream];
    ours = std::max(ours, position);
  }
  missing_ += other.missing_;
  if (other.gap_cause_) note_cause(*other.gap_cause_);
  made_room_ += other.made_room_;
  const auto both = [](auto& ours, const auto& others) {
    ours = ours && others ? std::optional(*ours + *others) : std::nullopt;
  };
  both(returns_, other.returns_);
  both(made_room_returns_, other.made_room_returns_);
  if (written_.runtime.empty()) written_.runtime = other.written_.runtime;
  written_.broke_off = written_.broke_off || other.written_.broke_off;
  breaks_.insert(other.breaks_.begin(), other.breaks_.end());
  refilled_ += other.refilled_;
  if (first_ == 0) first_ = other.first_;
  last_ = std::max(last_, other.last_);
  return {};
}

FlowState FlowLog::left() const {
  FlowState next{.id = written_.id,
                 .base = end(),
                 .lines_before = lines(),
                 .lines = lines(),
                 .missing = missing_,
                 .refilled = refilled_,
                 .streams = {},
                 .shown = shown_,
                 .before = written_.before,
                 .gap_cause = gap_cause_};
  if (!whole_) return next;
  next.first = first_;
  next.streams = streams_;
  next.past = past_;
  next.made_room = bytes();
  next.broke_off = written_.broke_off;
  next.breaks = breaks_;
  next.returns = next.made_room_returns = returns_;
  next.runtime = written_.runtime;
  return next;
}

bool FlowLog::add(StreamNo stream, std::string_view output, const LineView& line, CriTime& clock) {
  std::uint64_t& position = streams_[stream];
  if (line.end <= position) return false;
  if (!whole_) {
    end_line_of_other(stream, line.time, clock);
    if (line.full)
      open_.reset();
    else
      open_ = OpenLine{stream, std::string(output)};
  }
  std::string_view text = line.text;
  if (line.begin < position) text.remove_prefix(std::min<std::uint64_t>(position - line.begin, text.size()));
  if (!whole_) past_ += line.end - std::max(line.begin, position);
  position = line.end;
  put_cri_line(buffer_, clock, {line.time, output, line.full, {}, text});
  ++buffered_lines_;
  note_heard(output, Heard::kLine);
  if (const std::uint64_t more = return_count_.take(output, line.full, text); returns_) *returns_ += more;
  if (shown_lines_.take(output, line.full)) ++shown_;
  if (first_ == 0) first_ = line.time;
  last_ = line.time;
  return true;
}

bool FlowLog::add_gap(StreamNo stream, std::string_view output, std::uint64_t to, std::uint64_t time,
                      CriTime& clock, MissingCause cause) {
  std::uint64_t& position = streams_[stream];
  if (to <= position) return false;
  const std::uint64_t bytes = to - position;
  position = to;
  put_gap({time, output, true, bytes, gap_text(bytes, cause), false, cause}, clock);
  return true;
}

// To a reader, parts of lines are one line, whichever streams they come from.
void FlowLog::end_line_of_other(StreamNo stream, std::uint64_t time, CriTime& clock) {
  if (!is_amid_line_of_other(stream)) return;
  put_cri_line(buffer_, clock, {time, open_->output, true, {}, {}});
  ++buffered_lines_;
  (void)shown_lines_.take(open_->output, true);
}

bool FlowLog::add_source_gap(StreamNo stream, std::string_view output, std::uint64_t to, std::uint64_t bytes,
                             std::uint64_t time, CriTime& clock) {
  open_.reset();
  std::uint64_t& position = streams_[stream];
  if (to <= position) return false;
  position = to;
  put_gap({time, output, true, bytes, scheduler_gap_text(bytes)}, clock);
  return true;
}

bool FlowLog::add_break(StreamNo stream, std::string_view output, std::uint64_t time, CriTime& clock) {
  if (!breaks_.insert(stream).second) return false;
  open_.reset();
  constexpr auto kCause = MissingCause::kBrokeOff;
  put_gap({time, output, true, 0, gap_text(0, kCause, {.of_scheduler = !whole_}), false, kCause}, clock);
  return true;
}

void FlowLog::note_cause(MissingCause cause) {
  gap_cause_ = gap_cause_.value_or(cause) == cause ? cause : MissingCause::kUnknown;
}

void FlowLog::put_gap(const CriLine& gap, CriTime& clock) {
  if (gap.missing.value_or(0) > 0) note_cause(gap.cause);
  missing_ += gap.missing.value_or(0);
  note_heard(gap.output, Heard::kGap);
  (void)return_count_.take(gap.output, true, gap.text);
  put_cri_line(buffer_, clock, gap);
  ++buffered_lines_;
  (void)shown_lines_.take(gap);
}

void FlowLog::note_gone(const GoneLines& gone) {
  written_.lines_before += gone.lines;
  made_room_ += gone.bytes;
  if (made_room_returns_) *made_room_returns_ += gone.returns;
  written_.made_room = made_room_;
  written_.made_room_returns = made_room_returns_;
}

Result<std::string> FlowLog::text() const {
  FTAP_TRY_ASSIGN(text, content());
  text += buffer_;
  return text;
}

// The file's content.
Result<std::string> FlowLog::content() const {
  std::string text;
  if (written_.length == 0) return text;
  FTAP_TRY_ASSIGN(file, open_log_file(current_path(), O_RDONLY));
  if (!file || file->inode != written_.inode) return fail(path_ + " is gone");
  FTAP_TRY(read_log_file(file->fd, 0, written_.length, path_, text));
  return text;
}

Result<Fd> FlowLog::open_file() {
  if (written_.inode != 0) {
    FTAP_TRY_ASSIGN(file, open_log_file(current_path(), O_RDWR));
    if (file && file->inode == written_.inode && file->size >= written_.length) return std::move(file->fd);
    lose_file();
  }
  FTAP_TRY_ASSIGN(file, create_log_file(path_));
  written_.inode = file.inode;
  return std::move(file.fd);
}

Status FlowLog::flush() {
  if (!buffer_.empty()) {
    FTAP_TRY_ASSIGN(fd, open_file());
    if (auto done = write_log_file(fd, written_.length, buffer_, path_); !done) {
      static_cast<void>(::ftruncate(fd.get(), static_cast<off_t>(written_.length)));
      return done;
    }
    written_.length += buffer_.size();
    buffer_.clear();
    if (buffer_.capacity() > kKeptBuffer) buffer_.shrink_to_fit();
  }
  written_.lines += std::exchange(buffered_lines_, 0);
  written_.streams = streams_;
  written_.breaks = breaks_;
  written_.past = past_;
  written_.missing = missing_;
  written_.refilled = refilled_;
  written_.gap_cause = gap_cause_;
  written_.made_room = made_room_;
  written_.returns = returns_;
  written_.made_room_returns = made_room_returns_;
  written_.first = first_;
  written_.last = last_;
  written_.ended = ended_;
  written_.open = open_;
  written_.shown = shown_;
  written_.amid = shown_lines_.amid();
  return {};
}

bool FlowLog::is_whole(const File& file) {
  if (file.inode == 0) return true;
  struct stat there{};
  // Whatever keeps this process from looking has not changed the file, nor has whoever moves the directory for a while.
  if (::lstat(file.path.c_str(), &there) != 0)
    return errno != ENOENT || ::stat(file.path.substr(0, file.path.rfind('/')).c_str(), &there) != 0;
  return S_ISREG(there.st_mode) && there.st_ino == file.inode &&
         static_cast<std::uint64_t>(there.st_size) >= file.length;
}

void FlowLog::give_up_file() {
  // Nobody would remove what the file has not taken the place of yet.
  if (unsettled_) ::unlink(path_.c_str());
  remove_file();
  lose_file();
}

void FlowLog::remove_file() {
  if (written_.inode != 0) ::unlink(current_path().c_str());
}

void FlowLog::rename(const std::string& dir, const std::string& id) {
  const std::string before = current_path();
  path_ = dir + "/" + flow_file_name(id);
  written_.id = id;
  unsettled_ = false;
  if (written_.inode != 0 && ::rename(before.c_str(), path_.c_str()) != 0) lose_file();
}

void FlowLog::read(LogPosition from, std::size_t limit, LogPart& part, FilePart& file) const {
  part.from = std::max(from, base());
  part.lines_before = written_.lines_before;
  part.edits = edits_.size();
  const LogPosition file_end = base() + written_.length;
  if (part.from < file_end) {
    auto found = open_log_file(current_path(), O_RDONLY);
    auto* opened = found && *found ? &**found : nullptr;
    if (opened != nullptr && opened->inode == written_.inode) {
      file = {.fd = std::move(opened->fd),
              .at = part.from - base(),
              .size = std::min<std::size_t>(limit, file_end - part.from),
              .overwritten = overwritten_};
      part.next = part.from + file.size;
    } else {
      part.from = file_end;  // somebody has removed it
      part.lines_before = written_.lines;
    }
  }
  if (part.from >= file_end) {
    const std::size_t at = std::min<std::size_t>(part.from - file_end, buffer_.size());
    part.text = buffer_.substr(at, limit);
    part.next = part.from + part.text.size();
  }
  part.ended = ended_ != 0 && part.next >= end();
}

}  // namespace flowtap::flow
