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
           .within = {},
           .has_gap = {},
           .missing = 0,
           .edits = bounds->edits};
  has_gaps_ = bounds->missing > 0 || bounds->broke_off;
  tail_from_.reset();
  tail_rest_.clear();
  tail_lines_ = 0;
  all_lines_ = 0;
  whole_.reset();
  if (options_.tail_lines && options_.whole_lines) whole_.emplace(*options_.tail_lines, shows_gaps(options_));
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
  const flow::LogPosition to = span_.to;
  const flow::LogPosition begin = span_.at;
  if (!tail_from_) tail_from_ = to;
  for (int parts = 0; !has_tail() && *tail_from_ > begin; ++parts) {
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
    for (std::size_t end = text.size(), newline = 0; !has_tail() && end > 0; end = newline) {
      newline = text.rfind('\n', end - 1);
      // A line begins behind each newline except the last one, and where the log begins.
      const bool is_first = newline == std::string::npos;
      if (is_first && from != begin) break;
      const std::size_t at = is_first ? 0 : newline + 1;
      if (is_first) newline = 0;
      if (from + at == to) continue;
      count_line(std::string_view(text).substr(at, end - at), from + at);
      next = from + at;
    }
    tail_from_ = has_tail() ? next : from;
    // The rest of the line that begins before this part.
    tail_rest_ = text.substr(0, text.find('\n'));
    span_.tail = tail_lines_;
  }
  if (whole_) {
    take_whole_tail();
    return true;
  }
  if (!has_tail()) return true;  // there are no more
  span_.at = *tail_from_;
  span_.lines = span_.lines_to - all_lines_;
  return true;
}

void ReadingStart::take_whole_tail() {
  if (!has_tail()) whole_->finish();
  span_.tail = whole_->lines();
  const auto start = whole_->start();
  if (start) {
    span_.at = start->at;
    span_.within = start->within;
    span_.lines = span_.lines_to - start->stored;
  } else if (has_tail()) {  // none is wanted
    span_.at = span_.to;
    span_.lines = span_.lines_to;
  }
  whole_.reset();  // it may be large, and a follower lives long
}

bool ReadingStart::has_tail() const {
  return whole_ ? whole_->is_enough() : tail_lines_ >= *options_.tail_lines;
}

// For a reader that is not shown gaps, a gap is not one of its lines.
void ReadingStart::count_line(std::string_view text, flow::LogPosition at) {
  ++all_lines_;
  if (whole_) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (const auto line = flow::parse_cri_line(text)) whole_->take(at, *line);
    return;
  }
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
