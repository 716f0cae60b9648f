#include "daemon/stream/log_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/printable.hpp"

namespace flowtap {
namespace {

using flow::CriLine;
using flow::LogPosition;

// More than the longest line.
constexpr std::size_t kPart = std::size_t{64} << 10U;

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
                                                   const std::string& flow, const api::LogOptions& options) {
  auto found = store.find(flow);
  if (!found)
    return std::unexpected(Error{"the flow " + in_quotes(flow) + " is not known on this node",
                                 "flowtap flows lists those that are", ENOENT});
  std::unique_ptr<LogReader> reader(new LogReader(store, watch, std::move(found), options));
  if (options.follow) {
    // Before the end is looked at, so that nothing comes between.
    FTAP_TRY_ASSIGN(follower, store.follow(*reader->flow_));
    reader->follower_ = std::move(follower);
  }
  FTAP_TRY(reader->look_at_end());
  if (options.tail_lines) FTAP_TRY(reader->find_tail());
  FTAP_TRY(reader->count_missing());
  return reader;
}

LogReader::~LogReader() {
  if (follower_) watch_.forget(*follower_);
}

std::unexpected<Error> LogReader::gone() {
  return std::unexpected(Error{"the log had to make room for newer ones while it was read", {}, ESTALE});
}

Status LogReader::look_at_end() {
  const auto bounds = store_.bounds(*flow_);
  if (!bounds) return gone();
  at_ = bounds->begin;
  to_ = bounds->end;
  lines_ = bounds->lines_before;
  lines_to_ = bounds->lines;
  has_gaps_ = bounds->missing > 0;
  return {};
}

// From the end on in growing steps, so that the last lines of a large log cost no more than they are.
Status LogReader::find_tail() {
  const LogPosition begin = at_;
  const std::uint64_t wanted = *options_.tail_lines;
  if (wanted == 0) {
    at_ = to_;
    lines_ = lines_to_;
    return {};
  }
  for (std::uint64_t step = kPart;; step *= 4) {
    const LogPosition from = to_ - std::min(step, to_ - begin);
    std::vector<LogPosition> starts;  // of the lines that begin here
    LogPosition at = from;
    bool line_begins = from == begin;
    while (at < to_) {
      FTAP_TRY_ASSIGN(part, store_.read(*flow_, at, std::min<std::size_t>(kPart, to_ - at)));
      if (part.text.empty()) break;
      for (std::size_t i = 0; i < part.text.size(); ++i) {
        if (line_begins) starts.push_back(part.from + i);
        line_begins = part.text[i] == '\n';
      }
      at = part.next;
    }
    if (starts.size() < wanted && from != begin) continue;
    if (starts.size() >= wanted) {
      at_ = starts[starts.size() - wanted];
      lines_ = lines_to_ - wanted;
    }
    return {};
  }
}

// Gaps are lines of their own, so what is missing is known ahead.
Status LogReader::count_missing() {
  if (!has_gaps_) return {};
  std::string rest;
  for (LogPosition at = at_; at < to_;) {
    FTAP_TRY_ASSIGN(part, store_.read(*flow_, at, std::min<std::size_t>(kPart, to_ - at)));
    if (part.text.empty()) break;
    rest += part.text;
    std::size_t begin = 0;
    for (std::size_t newline = 0; (newline = rest.find('\n', begin)) != std::string::npos;
         begin = newline + 1) {
      const auto line = flow::parse_cri_line(std::string_view(rest).substr(begin, newline - begin));
      if (line && line->missing && is_asked_for(*line)) missing_ += *line->missing;
    }
    rest.erase(0, begin);
    at = part.next;
  }
  return {};
}

bool LogReader::is_asked_for(const CriLine& line) const {
  if (options_.since && line.time < ns_of(*options_.since)) return false;
  if (options_.outputs == api::Outputs::kBoth) return true;
  return (line.output == "stderr") == (options_.outputs == api::Outputs::kStderr);
}

Result<LogReader::Piece> LogReader::read(std::size_t limit) {
  Piece piece;
  while (piece.bytes.empty() && !piece.end) {
    const std::size_t most =
        options_.follow ? std::max(limit, kPart) : std::min<std::size_t>(kPart, to_ - at_);
    FTAP_TRY_ASSIGN(part, store_.read(*flow_, at_, most));
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
    at_ = part.from + text.size();
    while (!text.empty() && !piece.end) {
      const std::size_t newline = text.find('\n');
      take(text.substr(0, newline), piece);
      text.remove_prefix(newline + 1);
    }
    if (!options_.follow && at_ >= to_) piece.end = true;
    if (options_.follow && part.ended && at_ == part.next) piece.end = true;
    if (part.text.empty()) break;
  }
  return piece;
}

// What makes room is the oldest; whoever reads slowly is told, and goes on with what is there.
void LogReader::note_jump(const flow::LogPart& part, Piece& piece) {
  if (part.lines_before > lines_) put(jump_text(part.lines_before - lines_) + "\n", piece);
  at_ = part.from;
  lines_ = part.lines_before;
  mid_line_out_ = mid_line_err_ = false;
}

void LogReader::take(std::string_view line, Piece& piece) {
  ++lines_;
  const auto parsed = flow::parse_cri_line(line);
  if (!parsed || !is_asked_for(*parsed)) return;
  if (parsed->missing) {
    piece.missing_before += *parsed->missing;
    if (!options_.follow) return;
  }
  bool& mid_line = parsed->output == "stderr" ? mid_line_err_ : mid_line_out_;
  if (parsed->missing && mid_line) put("\n", piece);
  if (options_.timestamps && (!mid_line || parsed->missing))
    put(std::string(clock_.text(parsed->time)) + " ", piece);
  put(parsed->text, piece);
  if (parsed->full) put("\n", piece);
  mid_line = !parsed->full;
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
  watch_.once(follower_, std::move(wake));
}

}  // namespace flowtap
