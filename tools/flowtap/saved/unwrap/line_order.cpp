#include "line_order.hpp"

#include <algorithm>
#include <functional>
#include <map>
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

/// A SavedLine that owns its texts.
struct Kept {
  SavedLine::Kind kind;
  std::string source;
  std::string text;
  bool full;
  std::uint64_t time;
  std::optional<KubeEvent> event;
};

/// A record, and the lines behind it that belong to it or have no time.
struct Group {
  std::int64_t time;  // µs since the first one
  std::vector<Kept> lines;
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

/// Takes lines in any order.
class Groups {
 public:
  void add(const SavedLine& line) {
    const auto record =
        line.kind == SavedLine::Kind::kRecord ? flow::parse_klog_record(line.text) : std::nullopt;
    const flow::KlogTime time = record ? flow::klog_time(*record) : std::nullopt;
    if (time && !first_) first_ = time;
    if (time) last_time_ = flow::micros_between(first_, time);
    std::size_t& own = by_source_.try_emplace(std::string(line.source), 0).first->second;
    if (line.kind == SavedLine::Kind::kGoesOn && own > 0) return groups_[own - 1].lines.push_back(kept(line));
    groups_.push_back({.time = last_time_, .lines = {kept(line)}});
    if (time) own = groups_.size();
  }
  [[nodiscard]] std::deque<Group> sorted() {
    std::ranges::stable_sort(groups_, {}, &Group::time);
    return std::move(groups_);
  }

 private:
  std::deque<Group> groups_;
  std::map<std::string, std::size_t, std::less<>> by_source_;  // the number of the last group, from 1
  flow::KlogTime first_;
  std::int64_t last_time_ = 0;
};

}  // namespace

void LineOrder::add(std::string_view line, bool full, std::uint64_t time) {
  if (way_ == Way::kOldestFirst) return unwrapper_.add(line, full, time, take_);
  if (way_ == Way::kNewestFirst && bytes_ >= kMostHeld) {
    ++left_out_;
    return;
  }
  if (way_ == Way::kMixed && bytes_ >= kMostHeld) {
    give_sorted();
    way_ = Way::kOldestFirst;
    return add(line, full, time);
  }
  // Only in its own order does a line tell that a field of CSV goes on in the next one.
  look(line);
  hold(line, full, time);
  const bool enough = bytes_ >= kBeginning || (rising_ + falling_ >= kSteps && is_newest_first());
  if (way_ == Way::kUndecided && enough) decide();
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
  if (way_ == Way::kMixed) give_sorted();
}

void LineOrder::look(std::string_view line) {
  scout_.add(line, true, 0, [this](const SavedLine& found) {
    const auto record = flow::parse_klog_record(found.text);
    const flow::KlogTime time = record ? flow::klog_time(*record) : std::nullopt;
    if (!time) return;
    rising_ += flow::is_earlier(last_, time) ? 1 : 0;
    falling_ += flow::is_earlier(time, last_) ? 1 : 0;
    mixed_ = mixed_ || flow::micros_between(time, latest_) > kOutOfOrder;
    if (!flow::is_earlier(time, latest_)) latest_ = time;
    last_ = time;
  });
}

// A scheduler that writes from several threads has a few records in the wrong order.
bool LineOrder::is_newest_first() const {
  return falling_ > std::max<std::uint64_t>(1, 2 * rising_);
}

void LineOrder::decide() {
  way_ = is_newest_first() ? Way::kNewestFirst : mixed_ ? Way::kMixed : Way::kOldestFirst;
  if (way_ == Way::kOldestFirst) give_held(take_);
}

// A field of CSV was held with its newlines.
void LineOrder::give_held(const Take& take) {
  for (const Line& line : held_) {
    std::string_view rest = line.text;
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
      unwrapper_.add(rest.substr(0, end), true, line.time, take);
    unwrapper_.add(rest, line.full, line.time, take);
  }
  held_.clear();
}

void LineOrder::give_sorted() {
  Groups groups;
  give_held([&groups](const SavedLine& line) { groups.add(line); });
  for (const Group& group : groups.sorted())
    for (const Kept& one : group.lines) take_(given(one));
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
  std::vector<Kept> lines;
  // The file's last line may have no newline, and is the first one now.
  unwrapper_.add(line, true, time, [&lines](const SavedLine& found) { lines.push_back(kept(found)); });
  for (const Kept& one : std::views::reverse(lines)) take_(given(one));
}

}  // namespace flowtap::cli
