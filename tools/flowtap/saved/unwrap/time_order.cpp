#include "time_order.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>
#include <utility>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {
namespace {

using ClockStep = TimeSteps::Step;
using std::chrono::microseconds;

constexpr std::size_t kBlock = std::size_t{1} << 20U;  // bytes of texts
constexpr std::size_t kNode = 128;                     // bytes of a map's node, about
// A clock is hardly set back by more, but for daylight saving time. The logs of two schedulers often are.
constexpr std::int64_t kSmallStep = microseconds(std::chrono::minutes(1)).count();
// Within so little, records that lie in a gap of others tell nothing.
constexpr std::int64_t kSmallestPage = microseconds(std::chrono::seconds(5)).count();
constexpr std::size_t kRecordsOfPage = 3;
// A clock is seldom set back. More than that are records in any order.
constexpr int kMostClockSteps = 3;

// Daylight saving time ends: the same hour once more. Perhaps nothing was written for some minutes. A log of which most lies in that
// hour is followed by another scheduler's.
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
  const bool same = source_ == source;
  if (!same) source_.assign(source);
  if (back <= kOutOfOrder) {
    if (!first_ || flow::is_earlier(time, first_)) first_ = time;
    if (!flow::is_earlier(time, latest_)) latest_ = time;
    return ClockStep::kOn;
  }
  const bool small = back <= kSmallStep && flow::is_earlier(first_, time);
  const bool hour = first_ && is_hour_again(*first_, *latest_, *time);
  latest_ = time;
  if (same && (small || hour)) return ClockStep::kClockBack;
  first_ = time;
  return !same && small ? ClockStep::kSkew : ClockStep::kApart;
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

// Whether all that follows at `at` belongs before what the part has from some time on, as a page does that was saved too late: after
// a clock was set back, records of both times would soon be side by side. The part begins at `begin`.
bool TimeOrder::is_page(std::size_t begin, std::size_t at) const {
  const flow::KlogTime time = entries_[at].time;
  std::int64_t gap = std::numeric_limits<std::int64_t>::max();  // to the first record behind it
  std::int64_t last = 0;
  for (std::size_t i = begin; i < at; ++i) {
    const std::int64_t later = flow::micros_between(time, entries_[i].time);
    if (later > 0) gap = std::min(gap, later);
    last = std::max(last, later);
  }
  std::size_t above = 0;
  for (std::size_t i = begin; i < at; ++i)
    above += entries_[i].time && flow::micros_between(time, entries_[i].time) >= gap ? 1U : 0U;
  std::size_t within = 0;
  std::int64_t next = last;
  for (std::size_t i = at; i < entries_.size(); ++i) {
    if (!entries_[i].time) continue;
    next = flow::micros_between(time, entries_[i].time);
    if (next >= gap || next < -TimeSteps::kOutOfOrder) break;
    ++within;
    next = last;
  }
  return last > kSmallestPage && above >= kRecordsOfPage && within >= kRecordsOfPage &&
         (next >= last || next < 0);
}

void TimeOrder::set_keys() {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  const bool one_clock = has_one_clock();  // else the time of each record counts alone
  TimeSteps steps;
  flow::KlogTime first;
  std::int64_t floor = kNone;   // what was written after the clock was set back is not before this
  std::int64_t latest = kNone;  // of the part
  std::int64_t last = 0;
  std::size_t begin = 0;
  for (Entry& entry : entries_) {
    if (!first) first = entry.time;
    if (entry.time) {
      const ClockStep step = steps.next(entry.time, entry.source);
      const bool back = one_clock && step == ClockStep::kClockBack && !is_page(begin, entry.index);
      if (step != ClockStep::kOn) {
        floor = back ? latest : kNone;
        latest = back ? latest : kNone;
        begin = back ? begin : entry.index;
      }
      last = std::max(flow::micros_between(first, entry.time), floor);
      latest = std::max(latest, last);
    }
    entry.key = entry.group == entry.index ? last : entries_[entry.group].key;
  }
}

void TimeOrder::give(const Take& take) {
  set_keys();
  const auto place = [](const Entry& entry) { return std::tuple(entry.key, entry.group, entry.index); };
  if (!std::ranges::is_sorted(entries_, {}, place)) std::ranges::sort(entries_, {}, place);
  for (const Entry& entry : entries_)
    take({.kind = entry.kind,
          .source = entry.source,
          .text = entry.text,
          .full = entry.full,
          .time = entry.written,
          .event = entry.event > 0 ? &events_[entry.event - 1] : nullptr});
  entries_.clear();
  texts_.clear();
  events_.clear();
  last_.clear();
  bytes_ = 0;
}

}  // namespace flowtap::cli
