#include "stream/reading/raw_reader.hpp"

#include <poll.h>

#include <algorithm>

#include "stream/reading/flow_list.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// Bytes that came out of order are there with the next batch. A follower waits no longer than this.
constexpr auto kGapPatience = 1s;
// The last bytes of a process are drained by then.
constexpr auto kLastBytes = 200ms;
// The journal has the names of its streams by then.
constexpr auto kLastNames = 2s;

bool is_asked_for(const std::string& output, api::Outputs outputs) {
  switch (outputs) {
    case api::Outputs::kStdout:
      return output != "stderr";
    case api::Outputs::kStderr:
      return output == "stderr";
    case api::Outputs::kBoth:
      break;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<RawReader>> RawReader::open(flow::Journal& journal, ReaderWaker& waker,
                                                   std::string flow, const api::ReadOptions& options,
                                                   std::function<void()> at_end) {
  std::unique_ptr<RawReader> reader(
      new RawReader(journal, waker, std::move(flow), options, std::move(at_end)));
  // It follows before it looks at anything, so that no stream joins the flow unseen.
  FTAP_TRY_ASSIGN(follower, journal.follow_flow(reader->flow_));
  reader->follower_ = std::move(follower);
  if (journal.streams_of(reader->flow_).empty()) return unknown_flow(reader->flow_);
  reader->look_for_streams(options.from_now);
  return reader;
}

Result<std::unique_ptr<RawReader>> RawReader::open(flow::Journal& journal, ReaderWaker& waker,
                                                   std::vector<flow::StreamNo> streams,
                                                   const api::ReadOptions& options, Fd process,
                                                   std::function<void()> at_end) {
  std::unique_ptr<RawReader> reader(new RawReader(journal, waker, {}, options, std::move(at_end)));
  // It follows first, so that it is told of names that come meanwhile.
  FTAP_TRY_ASSIGN(follower, journal.follow(streams));
  reader->follower_ = std::move(follower);
  reader->only_ = std::move(streams);
  reader->process_ = std::move(process);
  reader->look_for_names(options.from_now);
  return reader;
}

// Whether the stream is one to read. It has the flow's name already, unless streams are chosen by their numbers.
bool RawReader::is_mine(const flow::StreamView& stream) const {
  if (!only_.empty()) return std::ranges::find(only_, stream.number) != only_.end();
  return is_asked_for(stream.name->output, options_.outputs);
}

RawReader::~RawReader() {
  if (follower_) waker_.forget(*follower_);
  if (process_.valid()) waker_.forget_end(process_);
  if (at_end_) at_end_();
}

bool RawReader::look_for_streams(bool from_now) {
  bool found = false;
  for (const flow::StreamView& stream : only_.empty() ? journal_.streams_of(flow_) : journal_.streams()) {
    if (!is_mine(stream)) continue;
    if (std::ranges::find(cursors_, stream.number, &flow::StreamCursor::stream) != cursors_.end()) continue;
    cursors_.push_back({stream.number, from_now ? stream.sums.passed : 0});
    if (options_.to_now) ends_.emplace(stream.number, stream.sums.passed);
    found = true;
  }
  return found;
}

void RawReader::look_for_names(bool from_now) {
  nameless_ = !std::ranges::all_of(only_, [this](flow::StreamNo number) {
    const auto stream = journal_.stream(number);
    return stream && stream->name;
  });
  look_for_streams(from_now);
}

Result<RawReader::Piece> RawReader::read(std::size_t limit) {
  Piece piece;
  if (nameless_) look_for_names(false);
  if (nameless_ && cursors_.empty()) return Piece{{}, 0, is_over()};
  if (cursors_.empty() || is_at_its_end()) {  // at once if the flow has no such output
    end(piece);
    return piece;
  }
  const flow::Reading reading = journal_.read(cursors_, limit);
  gap_until_ = reading.pieces.empty() ? Clock::time_point::max() : gap_until_;
  take(reading, piece);
  if (!piece.bytes.empty() || piece.missing_before > 0 || piece.again) return piece;
  if (!options_.to_now && (follower_->take_joined() || reading.ended) && look_for_streams(false))
    return read(limit);
  if ((reading.ended && reading.pieces.empty() && !nameless_) || is_over()) end(piece);
  return piece;
}

void RawReader::end(Piece& piece) {
  if (lines_) lines_->finish(piece);
  piece.end = true;
}

void RawReader::take(const flow::Reading& reading, Piece& piece) {
  for (flow::Piece part : reading.pieces) {
    std::string_view text = reading.text(part);
    if (options_.to_now) {
      const std::uint64_t end = ends_[part.stream];
      if (part.offset >= end) continue;
      part.length = std::min(part.length, end - part.offset);
      text = text.substr(0, part.length);
    }
    if (part.gap) {
      // Behind bytes, the gap belongs to the next piece, which says what is missing before it.
      if (!piece.bytes.empty() || waits_for(part)) return;
    } else {
      gap_until_ = Clock::time_point::max();
    }
    if (lines_)
      take_lines(part, text, piece);
    else if (part.gap)
      piece.missing_before += part.length;
    else
      piece.bytes += text;
    pass(part);
  }
}

void RawReader::take_lines(const flow::Piece& part, std::string_view text, Piece& piece) {
  const auto stream = journal_.stream(part.stream);
  lines_->take(part, stream && stream->name ? stream->name->output : std::string(), text, piece);
  // Half a line is no reason to wait, since there may be more of it.
  piece.again = piece.bytes.empty();
}

bool RawReader::is_at_its_end() const {
  return options_.to_now && std::ranges::all_of(cursors_, [this](const flow::StreamCursor& cursor) {
           return cursor.next >= ends_.at(cursor.stream) || !journal_.stream(cursor.stream);
         });
}

bool RawReader::waits_for(const flow::Piece& gap) {
  if (options_.to_now || !gap.may_come) return false;
  if (gap_until_ == Clock::time_point::max()) gap_until_ = Clock::now() + kGapPatience;
  if (Clock::now() < gap_until_) return true;
  gap_until_ = Clock::time_point::max();
  return false;
}

void RawReader::pass(const flow::Piece& piece) {
  const auto cursor = std::ranges::find(cursors_, piece.stream, &flow::StreamCursor::stream);
  if (cursor != cursors_.end()) cursor->next = piece.offset + piece.length;
}

// Only whole streams are counted: how much is kept of a stream is known, but not how much of that stands behind a cursor.
std::optional<std::uint64_t> RawReader::missing_bytes() const {
  std::uint64_t missing = 0;
  for (const flow::StreamCursor& cursor : cursors_) {
    const auto stream = journal_.stream(cursor.stream);
    if (!stream || cursor.next >= stream->sums.passed) continue;
    if (cursor.next != 0) return std::nullopt;
    missing += stream->sums.passed - std::min(stream->held, stream->sums.passed);
  }
  return missing;
}

bool RawReader::is_over() {
  if (!process_.valid()) return false;
  pollfd process{process_.get(), POLLIN, 0};
  if (::poll(&process, 1, 0) != 1) return false;
  const auto now = Clock::now();
  gone_since_ = std::min(gone_since_, now);
  over_at_ = gone_since_ + (nameless_ ? kLastNames : kLastBytes);
  if (now < over_at_) return false;
  over_at_ = Clock::time_point::max();  // the end of a pipe is told
  return std::ranges::none_of(cursors_, [this](const flow::StreamCursor& cursor) {
    const auto stream = journal_.stream(cursor.stream);
    return stream && !stream->sums.ended && stream->name && stream->name->kind == FTAP_KIND_PIPE;
  });
}

void RawReader::when_more(std::function<void()> wake) {
  if (process_.valid() && !is_gone()) waker_.once_ended(process_, wake);
  waker_.once(follower_, std::move(wake), std::min(gap_until_, over_at_));
}

}  // namespace flowtap
