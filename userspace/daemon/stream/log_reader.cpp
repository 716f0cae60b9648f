#include "daemon/stream/log_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <vector>

#include "base/printable.hpp"
#include "daemon/stream/refiller.hpp"

namespace flowtap {
namespace {

using flow::CriLine;
using flow::LogPosition;

// More than the longest line.
constexpr std::size_t kPart = std::size_t{24} << 10U;
// So many of them are looked at before others have their turn: less than a millisecond.
constexpr int kParts = 8;
// Of the runtime's files, between which others get their turn.
constexpr std::size_t kSlice = std::size_t{64} << 10U;
// ns; what was written before is in the store by now.
constexpr std::uint64_t kCaptured = 1'000'000'000;

// Gaps of one flow are filled some ten times a second at most.
constexpr int kTries = 4;

std::uint64_t ns_of(std::chrono::system_clock::time_point time) {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(std::chrono::nanoseconds(time.time_since_epoch()).count(), 0));
}

std::string jump_text(std::uint64_t lines) {
  return "[flowtap: " + std::to_string(lines) + (lines == 1 ? " line has" : " lines have") +
         " made room before they were read here]";
}

}  // namespace

Result<std::unique_ptr<LogReader>> LogReader::open(flow::FlowStore& store, FollowWatch& watch,
                                                   const std::string& flow, const api::LogOptions& options,
                                                   RuntimeHistory* history) {
  std::unique_ptr<LogReader> reader(new LogReader(store, watch, flow, options, history));
  if (!reader->flow_) {
    FTAP_TRY(reader->find_history());
    if (reader->history_) return reader;
    return std::unexpected(Error{"the flow " + in_quotes(flow) + " is not known on this node",
                                 "flowtap flows lists those that are", ENOENT});
  }
  if (options.follow) {
    // Before the end is looked at, so that nothing comes between.
    reader->follower_ = store.follow(*reader->flow_);
  }
  FTAP_TRY(reader->look_at_end());
  return reader;
}

Result<bool> LogReader::prepare() {
  if (!flow_) return true;
  FTAP_TRY_ASSIGN(found, find_tail());
  if (!found) return false;
  FTAP_TRY_ASSIGN(counted, count_missing());
  if (!counted) return false;
  // Anew where a gap was filled meanwhile, which moves what stands behind it.
  if (const auto now = store_.bounds(*flow_); now && now->edits != edits_ && ++looks_ < kTries) {
    tail_from_.reset();
    tail_lines_ = 0;
    counted_.reset();
    count_rest_.clear();
    missing_ = 0;
    FTAP_TRY(look_at_end());
    return false;
  }
  waited_to_ = to_;
  FTAP_TRY(find_history());
  return true;
}

LogReader::~LogReader() {
  if (!follower_) return;
  follower_->forget();
  watch_.forget(this);
}

std::unexpected<Error> LogReader::gone() {
  return std::unexpected(Error{"the log had to make room for newer ones while it was read", {}, ESTALE});
}

Status LogReader::look_at_end() {
  const auto bounds = store_.bounds(*flow_);
  if (!bounds) return gone();
  begin_ = at_ = bounds->begin;
  to_ = bounds->end;
  lines_ = bounds->lines_before;
  lines_to_ = bounds->lines;
  has_gaps_ = bounds->missing > 0;
  edits_ = bounds->edits;
  return {};
}

// From the end on, so that the last lines of a large log cost no more than they are.
Result<bool> LogReader::find_tail() {
  if (!options_.tail_lines || counted_) return true;
  const std::uint64_t wanted = *options_.tail_lines;
  const LogPosition begin = at_;
  if (!tail_from_) tail_from_ = to_;
  for (int parts = 0; tail_lines_ < wanted && *tail_from_ > begin; ++parts) {
    if (parts == kParts) return false;
    const LogPosition from = *tail_from_ - std::min<LogPosition>(kPart, *tail_from_ - begin);
    std::string text;
    while (from + text.size() < *tail_from_) {
      FTAP_TRY_ASSIGN(part, store_.read(*flow_, from + text.size(), *tail_from_ - from - text.size()));
      // The oldest have made room; read() says so, or goes on with what is there.
      if (part.text.empty() || part.from > from + text.size()) return true;
      text += part.text;
    }
    // A line begins behind each newline, but for the last of all.
    LogPosition next = from;
    for (std::size_t end = text.size(); tail_lines_ < wanted && end > 0;) {
      end = text.rfind('\n', end - 1);
      if (end == std::string::npos) break;
      if (from + end + 1 == to_) continue;
      ++tail_lines_;
      next = from + end + 1;
    }
    tail_from_ = tail_lines_ < wanted ? from : next;
  }
  if (tail_lines_ < wanted) return true;  // there are no more, or one more, that begins the log
  at_ = *tail_from_;
  lines_ = lines_to_ - wanted;
  return true;
}

// Gaps are lines of their own, so what is missing is known ahead.
Result<bool> LogReader::count_missing() {
  if (!counted_) counted_ = has_gaps_ ? at_ : to_;
  for (int parts = 0; *counted_ < to_; ++parts) {
    if (parts == kParts) return false;
    FTAP_TRY_ASSIGN(part, store_.read(*flow_, *counted_, std::min<std::size_t>(kPart, to_ - *counted_)));
    if (part.text.empty()) break;
    count_rest_ += part.text;
    std::size_t begin = 0;
    for (std::size_t newline = 0; (newline = count_rest_.find('\n', begin)) != std::string::npos;
         begin = newline + 1) {
      const auto line = flow::parse_cri_line(std::string_view(count_rest_).substr(begin, newline - begin));
      if (line && line->missing && is_asked_for(*line)) missing_ += *line->missing;
    }
    count_rest_.erase(0, begin);
    counted_ = part.next;
  }
  std::string().swap(count_rest_);
  return true;
}

// Opens the runtime's files where what is asked for may be in them.
Status LogReader::find_history() {
  if (runtime_ == nullptr) return {};
  const std::uint64_t now = ns_of(std::chrono::system_clock::now());
  const std::uint64_t kept = lines_to_ - lines_;
  if (options_.tail_lines && *options_.tail_lines <= kept) return {};
  SeamKeys keys;
  for (flow::SeamKey& key : keys) key.time = ~std::uint64_t{0};
  if (flow_) {
    if (runtime_->is_whole(*flow_, begin_)) return {};
    // Of an output that is silent so far, what comes now is captured, and may not be in the store yet.
    FTAP_TRY_ASSIGN(begun, seam_keys(store_, *flow_, begin_, to_, options_.follow ? now - kCaptured : now));
    keys = std::move(begun);
    const bool has_none = keys[0].bytes.empty() && keys[1].bytes.empty();
    const std::uint64_t first = std::min(keys[0].time, keys[1].time);
    if (options_.since && !has_none && ns_of(*options_.since) >= first) return {};
  }
  auto history = runtime_->open_log(id_, std::move(keys));
  if (!history) return {};  // there is none, or it has just gone
  history_ = std::move(*history);
  if (options_.tail_lines)
    history_->start_at_last(*options_.tail_lines - kept, kept);
  else if (options_.since)
    history_->start_at_time(ns_of(*options_.since));
  return {};
}

void LogReader::read_history(Piece& piece) {
  const bool more = history_->read(kSlice, [&](const flow::HistoryLine& line) {
    const CriLine as_ours{line.time, line.output, line.full, {}, line.text};
    if (!piece.end && is_asked_for(as_ours)) take(as_ours, piece);
  });
  piece.again = !piece.end;
  if (more) return;
  if (const std::string fault = history_->fault(); !fault.empty() && !piece.end)
    put("[flowtap: what the runtime has kept could not all be read: " + printable(fault) + "]\n", piece);
  if (flow_ && !options_.tail_lines && !options_.since && history_->is_empty())
    runtime_->note_whole(*flow_, begin_);
  history_.reset();
}

bool LogReader::is_asked_for(const CriLine& line) const {
  if (options_.since && line.time < ns_of(*options_.since)) return false;
  if (options_.outputs == api::Outputs::kBoth) return true;
  return (line.output == "stderr") == (options_.outputs == api::Outputs::kStderr);
}

Result<LogReader::Piece> LogReader::read(std::size_t limit) {
  Piece piece;
  if (history_) {
    read_history(piece);
    return piece;
  }
  piece.end = !flow_;
  for (int parts = 0; piece.bytes.empty() && !piece.end; ++parts) {
    if (parts == kParts) {
      piece.again = true;
      break;
    }
    const std::size_t most = std::max(limit, kPart);
    FTAP_TRY_ASSIGN(part, store_.read(*flow_, at_, options_.follow ? most : std::min(most, to_ - at_)));
    if (has_moved(part)) continue;
    // Half of a log must not look like all of it: who follows reads why it ends, others get no end.
    if ((part.gone || part.from > at_) && !options_.follow) return gone();
    if (part.gone) {
      put("[flowtap: this log had to make room for newer ones]\n", piece);
      piece.end = true;
      break;
    }
    if (part.from > at_) note_jump(part, piece);
    std::string_view text = part.text;
    // Lines are added whole, so what is cut here comes with the next part.
    const std::size_t last = text.rfind('\n');
    text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    at_ = part.from;
    while (!text.empty() && !piece.end && piece.bytes.size() < limit) {
      const std::size_t newline = text.find('\n');
      const auto line = flow::parse_cri_line(text.substr(0, newline));
      if (line && line->missing && waits_at(at_)) return piece;
      ++lines_;
      at_ += newline + 1;
      text.remove_prefix(newline + 1);
      if (line && is_asked_for(*line)) take(*line, piece);
    }
    if (!options_.follow && at_ >= to_) piece.end = true;
    if (options_.follow && part.ended && at_ == part.next) piece.end = true;
    if (part.text.empty()) break;
  }
  return piece;
}

bool LogReader::has_moved(const flow::LogPart& part) {
  if (part.gone || part.edits == edits_) return false;
  std::uint64_t ignored = 0;
  for (LogPosition* position : {&to_, &waits_to_, &waited_to_})
    store_.move(*flow_, edits_, *position, ignored);
  edits_ = store_.move(*flow_, edits_, at_, lines_);
  return true;
}

// Only where there is somebody who may fill it.
bool LogReader::waits_at(LogPosition gap) {
  using Clock = FollowWatch::Clock;
  if (!options_.follow || runtime_ == nullptr || gap < waited_to_) return false;
  if (gap_until_ == Clock::time_point::max()) {
    gap_until_ = Clock::now() + kFollowerPatience;
    const auto bounds = store_.bounds(*flow_);
    waits_to_ = bounds && bounds->edits == edits_ ? bounds->end : gap + 1;
  }
  if (Clock::now() < gap_until_) return true;
  waited_to_ = waits_to_;
  gap_until_ = Clock::time_point::max();
  return false;
}

// What makes room is the oldest; whoever reads slowly is told, and goes on with what is there.
void LogReader::note_jump(const flow::LogPart& part, Piece& piece) {
  if (part.lines_before > lines_) put(jump_text(part.lines_before - lines_) + "\n", piece);
  at_ = part.from;
  lines_ = part.lines_before;
  mid_line_out_ = mid_line_err_ = false;
}

void LogReader::take(const CriLine& line, Piece& piece) {
  if (line.missing) {
    piece.missing_before += *line.missing;
    if (!options_.follow) return;
  }
  bool& mid_line = line.output == "stderr" ? mid_line_err_ : mid_line_out_;
  if (line.missing && mid_line) put("\n", piece);
  if (options_.timestamps && (!mid_line || line.missing))
    put(std::string(clock_.text(line.time)) + " ", piece);
  put(line.text, piece);
  if (line.full) put("\n", piece);
  mid_line = !line.full;
}

void LogReader::put(std::string_view text, Piece& piece) {
  if (options_.limit_bytes) {
    text = text.substr(0, *options_.limit_bytes - sent_);
    piece.end = sent_ + text.size() == *options_.limit_bytes;
  }
  sent_ += text.size();
  piece.bytes += text;
}

void LogReader::when_more(std::function<void()> wake) {
  if (gap_until_ != FollowWatch::Clock::time_point::max()) watch_.later(this, wake, gap_until_);
  follower_->once(std::move(wake));
}

}  // namespace flowtap
