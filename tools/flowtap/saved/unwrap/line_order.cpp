#include "line_order.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "pieces.hpp"

namespace flowtap::cli {
namespace {

// What tells the order: so many steps from one record to the next, or the beginning of a file with fewer records.
constexpr std::uint64_t kSteps = 100;
constexpr std::size_t kBeginning = std::size_t{8} << 20U;

// Of memory that a line takes besides its text, about.
constexpr std::size_t kAround = 64;

// A record whose last value has several lines, and nothing around it.
bool begins_block(std::string_view line) {
  return line.ends_with("=<") && flow::begins_klog_record(line);
}

/// A SavedLine that owns its texts.
struct Kept {
  SavedLine::Kind kind;
  std::string source;
  std::string text;
  bool full;
  std::uint64_t time;
  std::optional<KubeEvent> event;
};

Kept kept(const SavedLine& line) {
  return {.kind = line.kind,
          .source = std::string(line.source),
          .text = std::string(line.text),
          .full = line.full,
          .time = line.time,
          .event = line.event != nullptr ? std::optional(*line.event) : std::nullopt};
}

SavedLine given(const Kept& one) {
  return {.kind = one.kind,
          .source = one.source,
          .text = one.text,
          .full = one.full,
          .time = one.time,
          .event = one.event ? &*one.event : nullptr};
}

}  // namespace

void LineOrder::add(std::string_view line, bool full, std::uint64_t time) {
  if (way_ == Way::kOldestFirst || way_ == Way::kMixed) return unwrap(line, full, time);
  if (way_ == Way::kNewestFirst && bytes_ >= kMostHeld) {
    ++left_out_;
    return;
  }
  // Only in its own order does a line tell that a field of CSV goes on in the next one.
  look(line);
  hold(line, full, time);
  const bool enough = bytes_ >= kBeginning || (rising_ + falling_ >= kSteps && is_newest_first());
  if (way_ == Way::kUndecided && enough) decide();
}

void LineOrder::hold(std::string_view line, bool full, std::uint64_t time) {
  // An export has the lines of a value in their own order, also with its newest record first. tac has not: the value ends before it
  // begins.
  in_block_ = in_block_ && !held_.empty() && begins_like_a_block(line) &&
              (line.starts_with('\t') || held_.back().text.contains('\n'));
  if ((in_field_ || in_block_) && !held_.empty()) {
    held_.back().text.append(1, '\n').append(line);
    held_.back().full = full;
  } else {
    held_.push_back({std::string(line), full, time});
  }
  in_field_ = scout_.is_in_field();
  in_block_ = !in_field_ && (in_block_ ? line.starts_with('\t') : begins_block(line));
  bytes_ += line.size() + kAround;
}

void LineOrder::finish() {
  if (way_ == Way::kUndecided) decide();
  if (way_ == Way::kNewestFirst) give_all();
  if (way_ == Way::kMixed) give_sorted();
}

void LineOrder::look(std::string_view line) {
  scout_.add(line, true, 0, [this](const SavedLine& found) {
    const flow::KlogTime time = time_of_record(found);
    if (!time) return;
    rising_ += flow::is_earlier(last_, time) ? 1 : 0;
    falling_ += flow::is_earlier(time, last_) ? 1 : 0;
    mixed_ = mixed_ || flow::micros_between(time, latest_) > TimeSteps::kOutOfOrder;
    mixed_newest_ = mixed_newest_ || flow::micros_between(earliest_, time) > TimeSteps::kOutOfOrder;
    if (!flow::is_earlier(time, latest_)) latest_ = time;
    if (!flow::is_earlier(earliest_, time)) earliest_ = time;
    last_ = time;
  });
}

// A scheduler that writes from several threads has a few records in the wrong order.
bool LineOrder::is_newest_first() const {
  return falling_ > std::max<std::uint64_t>(1, 2 * rising_);
}

void LineOrder::decide() {
  way_ = is_newest_first() ? Way::kNewestFirst : mixed_ ? Way::kMixed : Way::kOldestFirst;
  if (way_ != Way::kNewestFirst) give_held();
}

void LineOrder::unwrap(std::string_view line, bool full, std::uint64_t time) {
  unwrapper_.add(line, full, time, [this](const SavedLine& found) { give(found); });
}

// A field of CSV was held with its newlines.
void LineOrder::give_held() {
  for (; !held_.empty(); held_.pop_front()) {
    const Line& line = held_.front();
    std::string_view rest = line.text;
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
      unwrap(rest.substr(0, end), true, line.time);
    unwrap(rest, line.full, line.time);
  }
}

void LineOrder::give(const SavedLine& found) {
  if (way_ == Way::kMixed) {
    if (order_.add(found)) return;
    give_sorted();
    way_ = Way::kOldestFirst;
  }
  const flow::KlogTime time = time_of_record(found);
  if (time && given_.next(time, found.source) == TimeSteps::Step::kApart) ++late_parts_;
  take_(found);
}

void LineOrder::give_sorted() {
  order_.give([this](const SavedLine& found) {
    if (const flow::KlogTime time = time_of_record(found)) static_cast<void>(given_.next(time, found.source));
    take_(found);
  });
}

void LineOrder::give_all() {
  way_ = mixed_newest_ ? Way::kMixed : Way::kOldestFirst;
  for (; !held_.empty(); held_.pop_back()) {
    // One line may hold all records.
    const Line& line = held_.back();
    for (const std::string_view piece : std::views::reverse(pieces_of(line.text)))
      give_reversed(piece, line.time);
  }
}

void LineOrder::give_reversed(std::string_view line, std::uint64_t time) {
  std::vector<Kept> lines;
  // The file's last line may have no newline, and is the first one now.
  unwrapper_.add(line, true, time, [&lines](const SavedLine& found) { lines.push_back(kept(found)); });
  for (const Kept& one : std::views::reverse(lines)) give(given(one));
}

}  // namespace flowtap::cli
