#include "time_order.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "clock_step.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

using ClockStep = TimeSteps::Step;
using std::chrono::microseconds;

constexpr std::size_t kBlock = std::size_t{1} << 20U;  // bytes of texts
constexpr std::size_t kNode = 128;                     // bytes of a map's node, about
// The clocks of two machines hardly differ by more.
constexpr std::int64_t kSkew = microseconds(std::chrono::minutes(1)).count();
// A clock is seldom set back. More than that are records in any order.
constexpr int kMostClockSteps = 3;
constexpr std::size_t kMostFollowed = 256;  // whose steps are followed

// Daylight saving time ends: the same hour once more. Perhaps nothing was written for some minutes. If most of a log
// lies in that hour, what follows is another scheduler's log.
bool is_hour_again(std::uint64_t first, std::uint64_t before, std::uint64_t time) {
  constexpr auto kHour = static_cast<std::uint64_t>(microseconds(std::chrono::hours(1)).count());
  constexpr std::uint64_t kQuarter = kHour / 4;
  const bool is_most = first / kHour == time / kHour && first % kHour < kHour - kQuarter;
  return before / kHour == time / kHour && before % kHour >= kHour - kQuarter && time % kHour < kQuarter &&
         !is_most;
}

}  // namespace

flow::KlogTime time_of_record(const SavedLine& line) {
  if (line.kind != SavedLine::Kind::kRecord) return std::nullopt;
  const auto record = flow::parse_klog_record(line.text);
  return record ? flow::klog_time(*record) : std::nullopt;
}

ClockStep TimeSteps::next(flow::KlogTime time, std::string_view source) {
  const std::int64_t back = flow::micros_between(time, latest_);
  // Logs of one machine may stand between each other, and any of them may be the first to write after the step.
  const auto own = latest_by_.find(source);
  const bool same = own != latest_by_.end() && flow::micros_between(time, own->second) > kOutOfOrder;
  if (back <= kOutOfOrder) {
    note(time, source);
    if (!first_ || flow::is_earlier(time, first_)) first_ = time;
    if (!flow::is_earlier(time, latest_)) latest_ = time;
    return ClockStep::kOn;
  }
  const bool hour = first_ && is_hour_again(*first_, *latest_, *time);
  latest_ = time;
  if (same && (back <= kLargestStep || hour)) {
    note(time, source);
    if (flow::is_earlier(time, first_)) first_ = time;
    return ClockStep::kClockBack;
  }
  const bool skew = !same && back <= kSkew && flow::is_earlier(first_, time);
  first_ = time;
  latest_by_.clear();
  note(time, source);
  return skew ? ClockStep::kSkew : ClockStep::kApart;
}

void TimeSteps::note(flow::KlogTime time, std::string_view source) {
  const auto own = latest_by_.find(source);
  if (own == latest_by_.end()) {
    if (latest_by_.size() < kMostFollowed) latest_by_.emplace(source, time);
  } else if (!flow::is_earlier(time, own->second) || flow::micros_between(time, own->second) > kOutOfOrder) {
    own->second = time;
  }
}

std::string_view TimeOrder::kept(std::string_view text) {
  if (text.empty()) return {};
  if (texts_.empty() || texts_.back().capacity() - texts_.back().size() < text.size()) {
    texts_.emplace_back().reserve(std::max(kBlock, text.size()));
    bytes_ += texts_.back().capacity();
  }
  texts_.back().append(text);
  return std::string_view(texts_.back()).substr(texts_.back().size() - text.size());
}

bool TimeOrder::add(const SavedLine& line) {
  if (bytes_ >= most_ || entries_.size() >= std::numeric_limits<std::uint32_t>::max()) return false;
  auto own = last_.find(line.source);
  if (own == last_.end()) {
    own = last_.emplace(line.source, 0).first;
    bytes_ += line.source.size() + kNode;
  }
  Entry entry{.text = kept(line.text),
              .source = own->first,
              .written = line.time,
              .time = time_of_record(line),
              .index = static_cast<std::uint32_t>(entries_.size()),
              .kind = line.kind,
              .full = line.full};
  entry.group = line.kind == SavedLine::Kind::kGoesOn && own->second > 0 ? own->second - 1 : entry.index;
  if (entry.time) own->second = entry.index + 1;
  if (line.event != nullptr) {
    const KubeEvent& event = events_.emplace_back(*line.event);
    entry.event = static_cast<std::uint32_t>(events_.size());
    for (const std::string* text :
         {&event.ns, &event.pod, &event.type, &event.reason, &event.message, &event.from})
      bytes_ += text->capacity();
    bytes_ += sizeof(KubeEvent);
  }
  entries_.push_back(entry);
  bytes_ += sizeof(Entry);
  return true;
}

bool TimeOrder::has_one_clock() const {
  TimeSteps steps;
  int back = 0;
  for (const Entry& entry : entries_)
    if (entry.time && steps.next(entry.time, entry.source) == ClockStep::kClockBack) ++back;
  return back <= kMostClockSteps;
}

// Whether the clock was set back at `at` within the part that begins at `begin`.
bool TimeOrder::is_set_back(std::size_t begin, std::size_t at) const {
  const auto records = [this](std::size_t from, std::size_t to, bool as_far_as_on) {
    std::vector<TimedRecord> out;
    flow::KlogTime latest;
    for (std::size_t i = from; i < to; ++i) {
      const Entry& entry = entries_[i];
      if (!entry.time) continue;
      if (as_far_as_on && flow::micros_between(entry.time, latest) > TimeSteps::kOutOfOrder) break;
      if (!flow::is_earlier(entry.time, latest)) latest = entry.time;
      out.push_back({.text = entry.text, .time = entry.time});
    }
    return out;
  };
  const std::vector<TimedRecord> before = records(begin, at, false);
  const std::vector<TimedRecord> after = records(at, entries_.size(), true);
  return !before.empty() && !after.empty() && is_clock_set_back(before, after);
}

bool TimeOrder::is_clock_back_a_little() const {
  if (!doubted_) return false;
  std::vector<TimedRecord> records;
  for (const Entry& entry : entries_)
    if (entry.time) records.push_back({.text = entry.text, .time = entry.time});
  return leaves_more_bound(records);
}

void TimeOrder::set_keys() {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  const bool one_clock = has_one_clock();  // else the time of each record counts alone
  TimeSteps steps;
  flow::KlogTime before;        // Each step is short, but all of them may be more than half a year.
  std::int64_t since = 0;       // the first record
  std::int64_t floor = kNone;   // what was written after the clock was set back is not before this
  std::int64_t latest = kNone;  // of the part
  std::int64_t last = 0;
  std::size_t begin = 0;
  for (Entry& entry : entries_) {
    if (entry.time) {
      since += flow::micros_between(before, entry.time);
      before = entry.time;
      const ClockStep step = steps.next(entry.time, entry.source);
      const bool back = one_clock && step == ClockStep::kClockBack && is_set_back(begin, entry.index);
      if (step != ClockStep::kOn) {
        floor = back ? latest : kNone;
        latest = back ? latest : kNone;
        begin = back ? begin : entry.index;
      }
      last = std::max(since, floor);
      latest = std::max(latest, last);
    }
    entry.key = entry.group == entry.index ? last : entries_[entry.group].key;
  }
}

void TimeOrder::give(const Take& take) {
  set_keys();
  const auto place = [](const Entry& entry) { return std::tuple(entry.key, entry.group, entry.index); };
  if (!std::ranges::is_sorted(entries_, {}, place) && !is_clock_back_a_little())
    std::ranges::sort(entries_, {}, place);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    // A file's last line may have no newline, and not be the last one here.
    const bool ends = i + 1 < entries_.size() && entries_[i + 1].group != entry.group;
    take({.kind = entry.kind,
          .source = entry.source,
          .text = entry.text,
          .full = entry.full || ends,
          .time = entry.written,
          .event = entry.event > 0 ? &events_[entry.event - 1] : nullptr});
  }
  entries_.clear();
  texts_.clear();
  events_.clear();
  last_.clear();
  bytes_ = 0;
}

}  // namespace flowtap::cli
