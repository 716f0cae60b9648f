#include "line_order.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "tools/flowtap/saved/unwrap/around/value_margin.hpp"
#include "tools/flowtap/saved/unwrap/pieces.hpp"
#include "tools/flowtap/saved/unwrap/plain_text.hpp"

namespace flowtap::cli {
namespace {

// What tells the order: so many steps from one record to the next, or all of the beginning of a file with fewer records.
constexpr std::uint64_t kSteps = 100;

// About how much memory a line takes besides its text.
constexpr std::size_t kAround = 64;
// More logs than that are not in one file.
constexpr std::size_t kMostSourcesHeld = 256;

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    lines.push_back(text.substr(0, end));
  lines.push_back(text);
  return lines;
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

// To the record before.
bool belongs_to_one(SavedLine::Kind kind) {
  return kind == SavedLine::Kind::kGoesOn || kind == SavedLine::Kind::kLoose;
}

}  // namespace

void LineOrder::add(std::string_view line, bool full, std::uint64_t time) {
  if (way_ == Way::kOldestFirst || way_ == Way::kMixed) return unwrap(line, full, time);
  if (way_ == Way::kNewestFirst && bytes_ >= kMostHeld) {
    ++left_out_;
    return;
  }
  // Only in its own order does a line tell that a field of CSV goes on in the next one.
  hold(line, look(line), full, time);
  const bool enough = bytes_ >= kPutInOrder || (rising_ + falling_ >= kSteps && is_newest_first());
  if (way_ == Way::kUndecided && enough) decide();
}

void LineOrder::hold(std::string_view line, Look found, bool full, std::uint64_t time) {
  // An export has the lines of a value in their own order, also with its newest record first. tac has not: the value ends before it
  // begins. Lines of other sources may stand between.
  const auto last = last_held_.find(found.source);
  Line* const own = found.goes_on && last != last_held_.end() ? &held_[last->second] : nullptr;
  const bool in_block = !in_field_ && own != nullptr && (found.begins || own->by_lines);
  Line* const joins = in_block ? own : in_field_ && !held_.empty() ? &held_.back() : nullptr;
  if (joins != nullptr) {
    joins->text.append(1, '\n').append(line);
    joins->full = full;
    joins->by_lines = in_block;
  } else {
    if (last != last_held_.end())
      last->second = held_.size();
    else if (last_held_.size() < kMostSourcesHeld)
      last_held_.emplace(found.source, held_.size());
    held_.push_back({.text = std::string(line),
                     .full = full,
                     .time = time,
                     .loose = found.loose,
                     .sources = std::move(found.sources)});
  }
  own_order_ = own_order_ || in_block;
  in_field_ = scout_.is_in_field();
  bytes_ += line.size() + kAround;
}

void LineOrder::finish() {
  if (way_ == Way::kUndecided) decide();
  if (way_ == Way::kNewestFirst) give_all();
  if (way_ == Way::kMixed) give_sorted();
}

LineOrder::Look LineOrder::look(std::string_view line) {
  Look out;
  const bool was_indented = std::exchange(indented_, line.starts_with('\t'));
  const bool was_ended = std::exchange(ended_, line.starts_with(kValueEnds) || (ended_ && indented_));
  if (std::exchange(opened_, false) && indented_) ++upright_;
  scout_.add(line, true, 0, [this, turned = was_indented && was_ended, &out](const SavedLine& found) {
    out.begins = out.any ? out.begins : found.text.starts_with('\t');
    out.goes_on = found.kind == SavedLine::Kind::kGoesOn && (out.goes_on || !out.any);
    out.loose = found.kind == SavedLine::Kind::kLoose && !out.any;
    if (!out.any) out.source = found.source;
    out.any = true;
    opened_ = found.kind == SavedLine::Kind::kRecord && found.text.ends_with(kValueBegins);
    turned_round_ += opened_ && turned ? 1 : 0;
    const flow::KlogTime time = time_of_record(found);
    if (!time) return;
    rising_ += flow::is_earlier(last_, time) ? 1 : 0;
    falling_ += flow::is_earlier(time, last_) ? 1 : 0;
    mixed_ = mixed_ || flow::micros_between(time, latest_) > TimeSteps::kOutOfOrder;
    if (!flow::is_earlier(time, latest_)) latest_ = time;
    if (!first_) first_ = time;
    last_ = time;
  });
  out.sources = scout_.sources_of_part();
  return out;
}

// A scheduler that writes from several threads has a few records in the wrong order.
// A value of several lines that stands above its first line was turned round with all others.
bool LineOrder::is_newest_first() const {
  return falling_ > std::max<std::uint64_t>(1, 2 * rising_) ||
         (turned_round_ > upright_ && falling_ >= rising_);
}

// Within less than a second, a scheduler's own records may go back, too. But the last one of a log is hardly older than the first one.
// A log of more than half a year seems to be by much: its records do not say the year.
bool LineOrder::ends_before_its_begin() const {
  return flow::is_earlier(last_, first_) && flow::micros_between(last_, first_) <= TimeSteps::kOutOfOrder;
}

void LineOrder::decide() {
  const bool in_parts = mixed_ || ends_before_its_begin();
  way_ = is_newest_first() ? Way::kNewestFirst : in_parts ? Way::kMixed : Way::kOldestFirst;
  if (way_ == Way::kMixed && !mixed_) order_.doubt();
  if (way_ != Way::kNewestFirst) give_held();
}

void LineOrder::unwrap(std::string_view line, bool full, std::uint64_t time) {
  unwrapper_.add(line, full, time, [this](const SavedLine& found) { give(found); });
}

// A field of CSV was held with its newlines.
void LineOrder::give_held() {
  for (; !held_.empty(); held_.pop_front()) {
    const Line& line = held_.front();
    const auto lines = lines_of_text(line.text);
    for (const std::string_view& one : lines) unwrap(one, &one != &lines.back() || line.full, line.time);
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

// A text of several lines without a mark of klog's tells its order by where the file begins and ends: not within it.
void LineOrder::join_loose(std::deque<Line>& held) const {
  if (held.empty()) return;
  const bool own_order = own_order_ || (held.back().loose && !held.front().loose);
  if (!own_order) return;
  std::deque<Line> joined;
  for (; !held.empty(); held.pop_front()) {
    Line& line = held.front();
    const bool by_lines = !joined.empty() && (joined.back().by_lines || !joined.back().text.contains('\n'));
    if (line.loose && by_lines && !joined.back().loose) {
      joined.back().text.append(1, '\n').append(line.text);
      joined.back().by_lines = true;
    } else {
      joined.push_back(std::move(line));
    }
  }
  held = std::move(joined);
}

// An export may have been put in order by times that are less exact than the records' own. Those that are the same for it stand as
// they were written.
void LineOrder::give_all() {
  way_ = rising_ > 0 ? Way::kMixed : Way::kOldestFirst;
  join_loose(held_);
  for (; !held_.empty(); held_.pop_back()) give_reversed(held_.back());
}

void LineOrder::give_reversed(const Line& line) {
  // klog's object has no newline of its own: the one behind it, before its field ends, belongs to none.
  if (line.by_lines || has_object_in_field(line.text))
    return give_reversed(lines_of_text(line.text), line.time, {});
  // One line may hold all records.
  const std::vector<std::string_view> pieces = pieces_of(line.text);
  const bool divided = pieces.size() > 1 && line.sources == nullptr;
  const ObjectSources own = divided ? ObjectSources(line.text) : ObjectSources();
  const ObjectSources* const whole = divided ? &own : line.sources.get();
  for (const std::string_view piece : std::views::reverse(pieces))
    give_reversed({piece}, line.time,
                  {.whole = whole, .at = static_cast<std::size_t>(piece.data() - line.text.data())});
}

// The last record of the lines first, each with what belongs to it.
void LineOrder::give_reversed(const std::vector<std::string_view>& lines, std::uint64_t time,
                              Unwrapper::PieceOf piece) {
  std::vector<Kept> found;
  // The file's last line may have no newline, and is the first one now.
  for (const std::string_view line : lines)
    unwrapper_.add(line, true, time, [&found](const SavedLine& one) { found.push_back(kept(one)); }, piece);
  for (std::size_t end = found.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && belongs_to_one(found[begin].kind)) --begin;
    for (std::size_t i = begin; i < end; ++i) give(given(found[i]));
    end = begin;
  }
}

}  // namespace flowtap::cli
