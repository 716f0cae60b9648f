#include "stream/store/index/flow_index.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <optional>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/hash/crc32c.hpp"
#include "base/new_file.hpp"
#include "stream/store/log_file.hpp"

namespace flowtap::flow {
namespace {

constexpr std::array<char, 8> kMagic{'F', 'T', 'A', 'P', 'I', 'D', 'X', '\6'};
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;

// What stands before each row.
struct RowHead {
  std::uint32_t size;  // of the row
  std::uint32_t crc;   // of the row
};
// The id, the streams and the runtime's name stand behind it. It has many members, since it is a FlowState as the file has it.
struct RawFlow {
  std::uint64_t inode;
  std::uint64_t base;
  std::uint64_t length;
  std::uint64_t lines_before;
  std::uint64_t lines;
  std::uint64_t missing;
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t ended;
  std::uint64_t past;
  std::uint64_t refilled;
  std::uint32_t id;       // bytes
  std::uint32_t streams;  // how many RawFlowStreams; kGone: the flow is gone
  std::uint64_t open;     // the stream of the line that the file ends amid; 0: it does not
  std::uint64_t open_is_stderr;
  std::uint64_t made_room;
  std::uint64_t shown;
  std::uint32_t flags;   // kAmidOut, kAmidErr, kBrokeOff, kTellsBreaks
  std::uint32_t before;  // Before::State
  std::uint64_t before_bytes;
  std::uint64_t before_lines;
  std::uint64_t returns;  // kNotKnown: not known
  std::uint64_t made_room_returns;
  std::uint64_t runtime;  // bytes
};
struct RawFlowStream {
  std::uint64_t
      number;  // with kBreak: one of FlowState::breaks; earlier builds take it for a stream that wrote nothing
  std::uint64_t offset;
};
static_assert(sizeof(RowHead) == 8 && sizeof(RawFlow) == 176 && sizeof(RawFlowStream) == 16);

// What a file may begin with. The rows of earlier builds end some fields earlier.
struct IndexVersion {
  char number;  // the magic's last byte
  std::size_t state_size;
};
constexpr std::array kVersions{
    IndexVersion{kMagic.back(), sizeof(RawFlow)}, IndexVersion{'\5', offsetof(RawFlow, returns)},
    IndexVersion{'\4', offsetof(RawFlow, shown)}, IndexVersion{'\3', offsetof(RawFlow, made_room)},
    IndexVersion{'\2', offsetof(RawFlow, open)}};

const IndexVersion* version_of(std::string_view text) {
  const std::string_view magic(kMagic.data(), kMagic.size() - 1);
  if (text.size() < kMagic.size() || !text.starts_with(magic)) return nullptr;
  const auto* const found = std::ranges::find(kVersions, text[magic.size()], &IndexVersion::number);
  return found == kVersions.end() ? nullptr : found;
}

constexpr int kIndexFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// 0: the inode cannot be told.
std::uint64_t inode_of(const Fd& fd) {
  struct stat here{};
  return ::fstat(fd.get(), &here) == 0 ? here.st_ino : 0;
}

constexpr std::uint32_t kGone = ~std::uint32_t{0};
constexpr std::uint32_t kAmidOut = 1;
constexpr std::uint32_t kAmidErr = 2;
constexpr std::uint32_t kBrokeOff = 4;     // earlier builds neither set it nor look at it
constexpr std::uint32_t kTellsBreaks = 8;  // so do these: they know kBrokeOff at best
constexpr std::uint32_t kCauseShift =
    8;  // one more than FlowState::gap_cause; 0: absent, or an earlier build's row
constexpr std::uint32_t kCauseMask = 0xff;
constexpr std::uint64_t kBreak = std::uint64_t{1} << 63U;
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

std::optional<std::uint64_t> if_known(std::uint64_t value) {
  return value == kNotKnown ? std::nullopt : std::optional(value);
}

void put(std::string& out, const auto& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::uint32_t cause_flags(std::optional<MissingCause> cause) {
  return cause ? (static_cast<std::uint32_t>(*cause) + 1) << kCauseShift : 0;
}

std::optional<MissingCause> cause_in(std::uint32_t flags, std::uint64_t missing) {
  const std::uint32_t cause = (flags >> kCauseShift) & kCauseMask;
  if (cause == 0) return missing > 0 ? std::optional(MissingCause::kUnknown) : std::nullopt;
  return static_cast<MissingCause>(std::min(cause - 1, static_cast<std::uint32_t>(MissingCause::kUnknown)));
}

void put_row(std::string& out, const FlowState& state, bool gone) {
  std::string row;
  put(row, RawFlow{state.inode,
                   state.base,
                   state.length,
                   state.lines_before,
                   state.lines,
                   state.missing,
                   state.first,
                   state.last,
                   state.ended,
                   state.past,
                   state.refilled,
                   static_cast<std::uint32_t>(state.id.size()),
                   gone ? kGone : static_cast<std::uint32_t>(state.streams.size() + state.breaks.size()),
                   state.open ? state.open->stream : 0,
                   state.open && state.open->output == "stderr",
                   state.made_room.value_or(0),
                   state.shown,
                   (state.amid[0] ? kAmidOut : 0) | (state.amid[1] ? kAmidErr : 0) |
                       (state.broke_off ? kBrokeOff : 0) | kTellsBreaks | cause_flags(state.gap_cause),
                   static_cast<std::uint32_t>(state.before.state),
                   state.before.bytes,
                   state.before.lines,
                   state.returns.value_or(kNotKnown),
                   state.made_room_returns.value_or(kNotKnown),
                   gone ? 0 : state.runtime.size()});
  row += state.id;
  if (!gone) {
    for (const auto& [number, offset] : state.streams) put(row, RawFlowStream{number, offset});
    for (const StreamNo number : state.breaks) put(row, RawFlowStream{number | kBreak, 0});
    row += state.runtime;
  }
  put(out, RowHead{static_cast<std::uint32_t>(row.size()), crc32c(0, bytes_of(row))});
  out += row;
}

template <typename T>
std::optional<T> take(std::string_view& text, std::size_t size = sizeof(T)) {
  T value{};
  if (text.size() < size) return std::nullopt;
  text.copy(reinterpret_cast<char*>(&value), size);
  text.remove_prefix(size);
  return value;
}

struct Row {
  FlowState state;
  bool gone = false;
};

std::optional<Row> parse_row(std::string_view text, std::size_t state_size) {
  const auto raw = take<RawFlow>(text, state_size);
  if (!raw || raw->id > text.size()) return std::nullopt;
  const auto has = [state_size](std::size_t field) { return field < state_size; };
  Row row{
      {.id = std::string(text.substr(0, raw->id)),
       .inode = raw->inode,
       .base = raw->base,
       .length = raw->length,
       .lines_before = raw->lines_before,
       .lines = raw->lines,
       .missing = raw->missing,
       .refilled = raw->refilled,
       .first = raw->first,
       .last = raw->last,
       .ended = raw->ended,
       .streams = {},
       .past = raw->past,
       .open = raw->open == 0
                   ? std::nullopt
                   : std::optional(OpenLine{raw->open, raw->open_is_stderr != 0 ? "stderr" : "stdout"}),
       .made_room = has(offsetof(RawFlow, made_room)) ? std::optional(raw->made_room) : std::nullopt,
       // Earlier builds have counted the parts of lines.
       .shown = has(offsetof(RawFlow, shown)) ? raw->shown : raw->lines,
       .amid = {(raw->flags & kAmidOut) != 0, (raw->flags & kAmidErr) != 0},
       .broke_off = (raw->flags & kBrokeOff) != 0,
       .before = {raw->before <= static_cast<std::uint32_t>(Before::State::kCounted)
                      ? static_cast<Before::State>(raw->before)
                      : Before::State::kNone,
                  raw->before_bytes, raw->before_lines},
       .returns = has(offsetof(RawFlow, returns)) ? if_known(raw->returns) : std::nullopt,
       .made_room_returns = has(offsetof(RawFlow, returns)) ? if_known(raw->made_room_returns) : std::nullopt,
       .gap_cause = cause_in(raw->flags, raw->missing)},
      raw->streams == kGone};
  text.remove_prefix(raw->id);
  if (row.gone) return text.empty() ? std::optional(row) : std::nullopt;
  if (raw->runtime > text.size()) return std::nullopt;
  row.state.runtime = text.substr(text.size() - raw->runtime);
  text.remove_suffix(raw->runtime);
  if (text.size() != std::uint64_t{raw->streams} * sizeof(RawFlowStream)) return std::nullopt;
  while (const auto stream = take<RawFlowStream>(text)) {
    if ((stream->number & kBreak) != 0)
      row.state.breaks.insert(stream->number & ~kBreak);
    else
      row.state.streams.emplace(stream->number, stream->offset);
  }
  // An earlier build has told no break, and it is too late for those that it knew.
  if ((raw->flags & (kBrokeOff | kTellsBreaks)) == kBrokeOff)
    for (const auto& [number, offset] : row.state.streams) row.state.breaks.insert(number);
  return row;
}

std::optional<Row> take_row(std::string_view& text, std::size_t state_size) {
  const auto head = take<RowHead>(text);
  if (!head || head->size > text.size()) return std::nullopt;
  const std::string_view row = text.substr(0, head->size);
  text.remove_prefix(head->size);
  if (crc32c(0, bytes_of(row)) != head->crc) return std::nullopt;
  return parse_row(row, state_size);
}

}  // namespace

FlowIndex FlowIndex::open(std::string dir) {
  FlowIndex index(std::move(dir));
  index.load();
  return index;
}

void FlowIndex::load() {
  const Fd fd(::open(path().c_str(), kIndexFlags));
  if (!fd.valid()) {
    if (errno != ENOENT) said_ = "cannot open " + path() + ": " + errno_text(errno);
    return;
  }
  const auto all = read_file(path(), kMostBytes);
  if (!all) {
    said_ = all.error().what;
    return;
  }
  std::string_view text = *all;
  const IndexVersion* const version = version_of(text);
  if (version == nullptr) {
    said_ = path() + " was written by another build; earlier flows are not known";
    return;
  }
  text.remove_prefix(kMagic.size());
  std::string_view good = text;
  while (auto row = take_row(text, version->state_size)) {
    good = text;
    if (row->gone)
      found_.erase(row->state.id);
    else
      found_.insert_or_assign(row->state.id, std::move(row->state));
  }
  // None of our rows goes behind rows of an older build: the first write is of a new file.
  if (version != kVersions.data()) return;
  size_ = all->size() - good.size();
  // A killed process may have left half a row at the end.
  if (!good.empty() && ::ftruncate(fd.get(), static_cast<off_t>(size_)) != 0) return;
  inode_ = inode_of(fd);
}

bool FlowIndex::wants_rewrite() const {
  struct stat here{};
  if (inode_ == 0 || ::lstat(path().c_str(), &here) != 0 || here.st_ino != inode_) return true;
  return size_ > kLeastBloat && size_ > kBloat * fresh_;
}

Status FlowIndex::append(std::span<const FlowState* const> states, std::span<const std::string> gone) {
  if (states.empty() && gone.empty()) return {};
  const Fd fd(::open(path().c_str(), kIndexFlags));
  if (!fd.valid()) return fail_errno(errno, "cannot open " + path());
  if (inode_of(fd) != inode_) return fail(path() + " is another file than it was");
  std::string rows;
  // Flows that are gone come first: such a flow may have a successor with its name.
  for (const std::string& id : gone) put_row(rows, FlowState{.id = id, .streams = {}}, true);
  for (const FlowState* state : states) put_row(rows, *state, false);
  if (auto written = write_log_file(fd, size_, rows, path()); !written) {
    // Half a row there would hide the next ones.
    if (::ftruncate(fd.get(), static_cast<off_t>(size_)) != 0) inode_ = 0;
    return written;
  }
  size_ += rows.size();
  return {};
}

Status FlowIndex::rewrite(std::span<const FlowState* const> states) {
  const std::string fresh = path() + ".new";
  ::unlink(fresh.c_str());
  FTAP_TRY_ASSIGN(fd, open_new(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
  std::string all(kMagic.data(), kMagic.size());
  for (const FlowState* state : states) put_row(all, *state, false);
  auto written = write_log_file(fd, 0, all, fresh);
  if (written && ::rename(fresh.c_str(), path().c_str()) != 0)
    written = fail_errno(errno, "cannot rename " + fresh);
  if (!written) {
    ::unlink(fresh.c_str());
    return written;
  }
  inode_ = inode_of(fd);
  size_ = all.size();
  fresh_ = size_;
  return {};
}

}  // namespace flowtap::flow
