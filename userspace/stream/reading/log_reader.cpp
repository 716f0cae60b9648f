#include "stream/reading/log_reader.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "base/printable.hpp"
#include "base/wall_clock.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/reading/flow_list.hpp"
#include "stream/repair/gaps/refiller.hpp"

namespace flowtap {
namespace {

using flow::CriLine;
using flow::LogPosition;

std::string jump_text(std::uint64_t lines) {
  return std::to_string(lines) +
         (lines == 1 ? " line was dropped to make room before it was"
                     : " lines were dropped to make room before they were") +
         " read here";
}

}  // namespace

Result<std::unique_ptr<LogReader>> LogReader::open(flow::FlowStore& store, ReaderWaker& waker,
                                                   const std::string& flow,
                                                   const api::LogReadOptions& options, Histories* histories,
                                                   std::unique_ptr<Form> form, const CapturedTimes& captured,
                                                   flow::Followers::Hurry hurry, const LogOrigin& origin) {
  std::unique_ptr<LogReader> reader(
      new LogReader(store, waker, flow, options, histories, std::move(form), origin));
  const std::uint64_t now = wall_ns();
  reader->on_its_way_ =
      std::max(std::min(now - std::min<std::uint64_t>(now, kOnItsWay), captured.untaken), captured.since);
  if (!reader->flow_) {
    FTAP_TRY(reader->earlier_.find(reader->span_, now));
    if (reader->earlier_.any()) return reader;
    return unknown_flow(flow);
  }
  store.check_file(reader->flow_);
  if (options.follow) {
    // It follows before it looks at the end, so that nothing is missed in between.
    reader->follower_ = store.follow(*reader->flow_, hurry);
  }
  FTAP_TRY(reader->start_.look());
  reader->span_ = reader->start_.span();
  return reader;
}

Result<bool> LogReader::prepare() {
  if (flow_ && !found_) {
    FTAP_TRY_ASSIGN(done, start_.step());
    if (!done) return false;
    span_ = start_.span();
    // If an output is silent so far, bytes that come now are captured, and may not be in the store yet.
    FTAP_TRY(earlier_.find(span_, options_.follow ? on_its_way_ : wall_ns()));
    found_ = true;
  }
  FTAP_TRY_ASSIGN(done, earlier_.step(span_));
  wait_.done_to = span_.to;
  return done;
}

LogReader::~LogReader() {
  if (!follower_) return;
  follower_->forget();
  waker_.forget(this);
}

Result<LogReader::Piece> LogReader::read(std::size_t limit) {
  Piece piece;
  if (earlier_.any()) {
    const auto take = [&](const CriLine& line, bool captured) { give(line, captured, piece); };
    FTAP_TRY(earlier_.read(take, *form_, piece, span_));
    piece.again = !piece.end;
    return piece;
  }
  FTAP_TRY(read_store(limit, piece));
  if (piece.end) {
    give_returns(piece);
    form_->finish(piece);
  } else if (piece.bytes.empty() && !piece.again)
    form_until_ = form_->rest(piece);
  return piece;
}

void LogReader::give(const CriLine& line, bool captured, Piece& piece) {
  const auto take = [&](const CriLine& as_served) { form_->take(as_served, piece); };
  if (drops_returns_ && captured && !line.missing) return returns_.add(line, take);
  returns_.finish(line.output, take);
  take(line);
}

void LogReader::give_returns(Piece& piece) {
  returns_.finish([&](const CriLine& line) { form_->take(line, piece); });
}

Status LogReader::read_store(std::size_t limit, Piece& piece) {
  piece.end = !flow_ || (!options_.follow && span_.at >= span_.to);
  wait_.on = false;
  for (int parts = 0; piece.bytes.empty() && !piece.end; ++parts) {
    if (parts == kLogParts) {
      piece.again = true;
      break;
    }
    const std::size_t most = std::max(limit, kLogPart);
    FTAP_TRY_ASSIGN(
        part, store_.read(*flow_, span_.at, options_.follow ? most : std::min(most, span_.to - span_.at)));
    if (has_moved(part)) continue;
    // It has made room meanwhile, and what went was read elsewhere.
    const auto& read_to = earlier_.read_to();
    if (!part.gone && part.from > span_.at && read_to && read_to->at > span_.at) {
      span_.at = read_to->at;
      span_.lines = read_to->lines;
      piece.end = !options_.follow && span_.at >= span_.to;
      if (piece.end) break;
    }
    if (!part.gone && part.from > span_.at && !options_.follow && earlier_.go_on_behind(read_in_store_)) {
      read_in_store_ = {};
      piece.again = true;
      break;
    }
    // Half of a log must not look like all of it: a follower is told why it ends, and other readers get no end.
    if ((part.gone || part.from > span_.at) && !options_.follow) return log_has_gone();
    if (part.from > span_.at) note_jump(part, piece);
    if (part.gone) {
      if (go_on(part, piece)) continue;
      break;
    }
    std::string_view text = part.text;
    // Lines are added whole, so a line that is cut here comes with the next part.
    const std::size_t last = text.rfind('\n');
    text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    span_.at = part.from;
    while (!text.empty() && !piece.end && piece.bytes.size() < limit) {
      const std::size_t newline = text.find('\n');
      const auto line = flow::parse_cri_line(text.substr(0, newline));
      if (line && line->counted() && waits_at(span_.at)) return {};
      if (line) read_in_store_.at(flow::output_index(line->output)) += line->bytes();
      ++span_.lines;
      span_.at += newline + 1;
      text.remove_prefix(newline + 1);
      if (line && !span_.leaves_out(*line) && is_asked_for(options_, *line)) give(*line, true, piece);
    }
    if (!options_.follow && span_.at >= span_.to) piece.end = true;
    if (options_.follow && part.ended && span_.at == part.next) piece.end = true;
    if (last != std::string_view::npos) continue;
    // Whoever cuts the file while it is read leaves nothing that could be waited for.
    if (!piece.end && !options_.follow)
      return fail("the file of " + in_quotes(flow_->log.id()) + " was cut by somebody else",
                  "only flowtapd may change what is in its state directory; find what else writes there");
    break;
  }
  return {};
}

bool LogReader::has_moved(const flow::LogPart& part) {
  if (part.edits == span_.edits) return false;
  LogPosition none = 0;
  const std::array positions{&span_.at, &span_.to, &wait_.to, &wait_.done_to, wait_.at ? &*wait_.at : &none};
  span_.edits = store_.move(*flow_, span_.edits, positions, span_.lines);
  return true;
}

// Goes on with the flow that comes in the place of one that had to make room. False: none has come yet, or none will.
bool LogReader::go_on(const flow::LogPart& part, Piece& piece) {
  if (auto next = store_.successor(*flow_)) {
    flow_ = std::move(next);
    span_.edits = 0;
    span_.within = {};  // what comes first there is a line of its own
    return true;
  }
  if (part.ended) {
    form_->say(
        part.into.empty() ? "this log had to make room for newer ones" : "this log goes on as " + part.into,
        piece);
    piece.end = true;
  }
  return false;
}

// Waits only where somebody may fill the gap.
bool LogReader::waits_at(LogPosition gap) {
  using Clock = ReaderWaker::Clock;
  if (!options_.follow || histories_ == nullptr || flow_->derived || gap < wait_.done_to) return false;
  if (wait_.at != gap) {
    wait_.at = gap;
    wait_.until = Clock::now() + kFollowerPatience;
    const auto bounds = store_.bounds(*flow_);
    wait_.to = bounds && bounds->edits == span_.edits ? bounds->end : gap + 1;
  }
  wait_.on = Clock::now() < wait_.until;
  if (!wait_.on) wait_.done_to = wait_.to;
  return wait_.on;
}

// The oldest lines make room. A slow reader is told so, and goes on with what is there.
void LogReader::note_jump(const flow::LogPart& part, Piece& piece) {
  store_.note_missed(part.lines_before - std::min(part.lines_before, span_.lines));
  give_returns(piece);
  form_->jump(piece);
  if (part.lines_before > span_.lines) form_->say(jump_text(part.lines_before - span_.lines), piece);
  span_.at = part.from;
  span_.lines = part.lines_before;
  span_.within = {};  // the rest of such a line may be among them
}

void LogReader::when_more(std::function<void()> wake) {
  const auto until = wait_.on ? std::min(wait_.until, form_until_) : form_until_;
  if (until != ReaderWaker::Clock::time_point::max()) waker_.later(this, wake, until);
  follower_->once(std::move(wake));
}

}  // namespace flowtap
