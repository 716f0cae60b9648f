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
constexpr std::size_t kBeginning = std::size_t{1} << 20U;

/// A SavedLine that owns its texts.
struct Kept {
  SavedLine::Kind kind;
  std::string source;
  std::string text;
  bool full;
  std::uint64_t time;
  std::optional<KubeEvent> event;
};

}  // namespace

void LineOrder::add(std::string_view line, bool full, std::uint64_t time) {
  if (way_ == Way::kOldestFirst) return unwrapper_.add(line, full, time, take_);
  if (way_ == Way::kNewestFirst && bytes_ >= kMostHeld) {
    ++left_out_;
    return;
  }
  look(line);
  hold(line, full, time);
  if (way_ == Way::kUndecided && (rising_ + falling_ >= kSteps || bytes_ >= kBeginning)) decide();
}

void LineOrder::hold(std::string_view line, bool full, std::uint64_t time) {
  if (in_field_ && !held_.empty())
    held_.back().text.append(1, '\n').append(line);
  else
    held_.push_back({std::string(line), full, time});
  in_field_ = scout_.is_in_field();
  bytes_ += line.size() + sizeof(Line);
}

void LineOrder::finish() {
  if (way_ == Way::kUndecided) decide();
  if (way_ == Way::kNewestFirst) give_all();
}

void LineOrder::look(std::string_view line) {
  scout_.add(line, true, 0, [this](const SavedLine& found) {
    const auto record = flow::parse_klog_record(found.text);
    const flow::KlogTime time = record ? flow::klog_time(*record) : std::nullopt;
    if (!time) return;
    rising_ += flow::is_earlier(last_, time) ? 1 : 0;
    falling_ += flow::is_earlier(time, last_) ? 1 : 0;
    last_ = time;
  });
}

// A scheduler that writes from several threads has a few records in the wrong order.
void LineOrder::decide() {
  way_ = falling_ > std::max<std::uint64_t>(1, 2 * rising_) ? Way::kNewestFirst : Way::kOldestFirst;
  if (way_ == Way::kNewestFirst) return;
  for (const Line& line : held_) {
    std::string_view rest = line.text;
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
      unwrapper_.add(rest.substr(0, end), true, line.time, take_);
    unwrapper_.add(rest, line.full, line.time, take_);
  }
  held_.clear();
}

void LineOrder::give_all() {
  for (const Line& line : std::views::reverse(held_)) {
    // One line may hold all records.
    for (const std::string_view piece : std::views::reverse(pieces_of(line.text)))
      give_reversed(piece, line.time);
  }
  held_.clear();
}

void LineOrder::give_reversed(std::string_view line, std::uint64_t time) {
  std::vector<Kept> kept;
  // The file's last line may have no newline, and is the first one now.
  unwrapper_.add(line, true, time, [&kept](const SavedLine& found) {
    kept.push_back({found.kind, std::string(found.source), std::string(found.text), found.full, found.time,
                    found.event != nullptr ? std::optional(*found.event) : std::nullopt});
  });
  for (const Kept& one : std::views::reverse(kept))
    take_({.kind = one.kind,
           .source = one.source,
           .text = one.text,
           .full = one.full,
           .time = one.time,
           .event = one.event ? &*one.event : nullptr});
}

}  // namespace flowtap::cli
