#include "stream/reading/reading_start.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "stream/lines/cri_line.hpp"
#include "stream/reading/forms/form.hpp"

namespace flowtap {
namespace {

// One flow's gaps are filled some ten times a second at most.
constexpr int kTries = 4;

}  // namespace

std::unexpected<Error> log_has_gone() {
  return std::unexpected(Error{"the log had to make room for newer ones while it was read", {}, ESTALE});
}

Status ReadingStart::look() {
  const auto bounds = store_.bounds(*flow_);
  if (!bounds) return log_has_gone();
  span_ = {.begin = bounds->begin,
           .at = bounds->begin,
           .to = bounds->end,
           .lines = bounds->lines_before,
           .lines_to = bounds->lines,
           .tail = 0,
           .missing = 0,
           .edits = bounds->edits};
  has_gaps_ = bounds->missing > 0;
  tail_from_.reset();
  tail_rest_.clear();
  tail_lines_ = 0;
  all_lines_ = 0;
  counted_.reset();
  count_rest_.clear();
  return {};
}

Result<bool> ReadingStart::step() {
  FTAP_TRY_ASSIGN(found, find_tail());
  if (!found) return false;
  FTAP_TRY_ASSIGN(counted, count_missing());
  if (!counted) return false;
  // The search begins anew if a gap was filled meanwhile, which moves what stands behind it.
  const auto now = store_.bounds(*flow_);
  if (!now || now->edits == span_.edits || ++looks_ == kTries) return true;
  FTAP_TRY(look());
  return false;
}

// Searches from the end, so that the last lines of a large log cost no more than they are.
Result<bool> ReadingStart::find_tail() {
  if (!options_.tail_lines || counted_) return true;
  const std::uint64_t wanted = *options_.tail_lines;
  const flow::LogPosition to = span_.to;
  const flow::LogPosition begin = span_.at;
  if (!tail_from_) tail_from_ = to;
  for (int parts = 0; tail_lines_ < wanted && *tail_from_ > begin; ++parts) {
    if (parts == kLogParts) return false;
    const flow::LogPosition from = *tail_from_ - std::min<flow::LogPosition>(kLogPart, *tail_from_ - begin);
    std::string text;
    while (from + text.size() < *tail_from_) {
      FTAP_TRY_ASSIGN(part, store_.read(*flow_, from + text.size(), *tail_from_ - from - text.size()));
      // The oldest lines have made room. The reader says so, or goes on with what is there.
      if (part.text.empty() || part.from > from + text.size()) return true;
      text += part.text;
    }
    text += tail_rest_;
    flow::LogPosition next = from;
    for (std::size_t end = text.size(), newline = 0; tail_lines_ < wanted && end > 0; end = newline) {
      newline = text.rfind('\n', end - 1);
      // A line begins behind each newline except the last one, and where the log begins.
      const bool is_first = newline == std::string::npos;
      if (is_first && from != begin) break;
      const std::size_t at = is_first ? 0 : newline + 1;
      if (is_first) newline = 0;
      if (from + at == to) continue;
      count_line(std::string_view(text).substr(at, end - at));
      next = from + at;
    }
    tail_from_ = tail_lines_ < wanted ? from : next;
    // The rest of the line that begins before this part.
    tail_rest_ = text.substr(0, text.find('\n'));
    span_.tail = tail_lines_;
  }
  if (tail_lines_ < wanted) return true;  // there are no more
  span_.at = *tail_from_;
  span_.lines = span_.lines_to - all_lines_;
  return true;
}

// For a reader that is not shown gaps, a gap is not one of its lines.
void ReadingStart::count_line(std::string_view text) {
  ++all_lines_;
  if (has_gaps_ && !shows_gaps(options_)) {
    const auto line = flow::parse_cri_line(text);
    if (line && line->missing) return;
  }
  ++tail_lines_;
}

// Gaps are lines of their own, so it is known ahead how much is missing.
Result<bool> ReadingStart::count_missing() {
  if (!counted_) counted_ = has_gaps_ ? span_.at : span_.to;
  for (int parts = 0; *counted_ < span_.to; ++parts) {
    if (parts == kLogParts) return false;
    FTAP_TRY_ASSIGN(part,
                    store_.read(*flow_, *counted_, std::min<std::size_t>(kLogPart, span_.to - *counted_)));
    if (part.text.empty()) break;
    count_rest_ += part.text;
    std::size_t begin = 0;
    for (std::size_t newline = 0; (newline = count_rest_.find('\n', begin)) != std::string::npos;
         begin = newline + 1) {
      const auto line = flow::parse_cri_line(std::string_view(count_rest_).substr(begin, newline - begin));
      if (line && line->missing && is_asked_for(options_, *line)) span_.missing += *line->missing;
    }
    count_rest_.erase(0, begin);
    counted_ = part.next;
  }
  std::string().swap(count_rest_);
  return true;
}

}  // namespace flowtap
