#include "clock_step.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "explain/diagnosis/facts/fact_parser.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "time_order.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::FactKind;
using TimedRecords = std::span<const TimedRecord>;

// Within so little, records that lie in a gap of others tell nothing.
constexpr std::int64_t kSmallestPage = TimeSteps::kSecond * 5;
constexpr std::size_t kRecordsOfPage = 3;
// A clock is set back by so little without a sign of it.
constexpr std::int64_t kUsualStep = TimeSteps::kSecond * 60;
constexpr std::size_t kMostPodsCompared = 100'000;

/// How a pod's last record says it is, in either order of the two parts.
struct PodOrder {
  bool bound_in_file = false;  // in the order of the file
  bool bound_in_time = false;
  flow::KlogTime latest;
  bool replaced = false;  // another pod has its name
};

class PodOrders {
 public:
  void add(TimedRecords records) {
    for (const TimedRecord& record : records) add(record);
  }
  /// Pods that one order leaves bound and the other one does not: more of them for the file's, less than 0: for that of times.
  [[nodiscard]] std::int64_t for_file() const {
    std::int64_t out = 0;
    for (const auto& [pod, order] : pods_)
      if (!order.replaced) out += (order.bound_in_file ? 1 : 0) - (order.bound_in_time ? 1 : 0);
    return out;
  }

 private:
  void add(const TimedRecord& record) {
    const auto klog = flow::parse_klog_record(record.text);
    if (!klog) return;
    for (const diagnosis::Fact& fact : parser_.parse(*klog)) add(fact, record.time);
  }

  void add(const diagnosis::Fact& fact, flow::KlogTime time) {
    const auto bound = is_bound_by(fact.kind);
    const bool replaced = fact.kind == FactKind::kDeleted || fact.kind == FactKind::kGone;
    if (fact.pod.name.empty() || (!bound && !replaced)) return;
    const std::string name = std::string(fact.pod.ns).append(1, '/').append(fact.pod.name);
    auto found = pods_.find(name);
    if (found == pods_.end()) {
      if (pods_.size() == kMostPodsCompared) return;
      found = pods_.emplace(name, PodOrder{}).first;
    }
    PodOrder& order = found->second;
    order.replaced = order.replaced || replaced;
    if (!bound) return;
    order.bound_in_file = *bound;
    if (flow::is_earlier(time, order.latest)) return;
    order.latest = time;
    order.bound_in_time = *bound;
  }

  [[nodiscard]] static std::optional<bool> is_bound_by(FactKind kind) {
    switch (kind) {
      case FactKind::kBound:
      case FactKind::kAssigned:
      case FactKind::kHasNode:
        return true;
      case FactKind::kAttempt:
      case FactKind::kFilterFailed:
      case FactKind::kPhaseFailed:
      case FactKind::kBindFailed:
        return false;
      default:
        return std::nullopt;
    }
  }

  diagnosis::FactParser parser_;
  std::map<std::string, PodOrder> pods_;
};

std::string_view thread_of(const TimedRecord& record) {
  const auto klog = flow::parse_klog_record(record.text);
  return klog ? klog->thread : std::string_view();
}

// klog writes the process.
bool is_other_process(const TimedRecord& before, const TimedRecord& after) {
  const std::string_view one = thread_of(before);
  const std::string_view other = thread_of(after);
  return !one.empty() && !other.empty() && one != other;
}

// Two exports of one log have records in common.
bool has_in_common(TimedRecords before, TimedRecords after) {
  std::unordered_set<std::string_view> texts;
  for (const TimedRecord& record : after.first(std::min<std::size_t>(after.size(), kRecordsOfPage)))
    texts.insert(record.text);
  return std::ranges::any_of(before, [&](const TimedRecord& record) { return texts.contains(record.text); });
}

flow::KlogTime latest_of(TimedRecords records) {
  flow::KlogTime latest;
  for (const TimedRecord& record : records)
    if (!flow::is_earlier(record.time, latest)) latest = record.time;
  return latest;
}

flow::KlogTime first_of(TimedRecords records) {
  flow::KlogTime first = records.front().time;
  for (const TimedRecord& record : records)
    if (flow::is_earlier(record.time, first)) first = record.time;
  return first;
}

// Whether all that follows belongs before what already stands there from some time on. That is so for a page that was
// saved too late. After a clock was set back, records of both times would soon stand side by side.
bool is_page(TimedRecords before, TimedRecords after) {
  const flow::KlogTime time = after.front().time;
  std::int64_t gap = std::numeric_limits<std::int64_t>::max();  // to the first record behind it
  std::int64_t last = 0;
  for (const TimedRecord& record : before) {
    const std::int64_t later = flow::micros_between(time, record.time);
    if (later > 0) gap = std::min(gap, later);
    last = std::max(last, later);
  }
  const auto above = std::ranges::count_if(
      before, [&](const TimedRecord& record) { return flow::micros_between(time, record.time) >= gap; });
  std::size_t within = 0;
  std::int64_t next = last;
  for (const TimedRecord& record : after) {
    next = flow::micros_between(time, record.time);
    if (next >= gap || next < -TimeSteps::kOutOfOrder) break;
    ++within;
    next = last;
  }
  return last > kSmallestPage && static_cast<std::size_t>(above) >= kRecordsOfPage &&
         within >= kRecordsOfPage && (next >= last || next < 0);
}

}  // namespace

bool leaves_more_bound(TimedRecords records) {
  PodOrders pods;
  pods.add(records);
  return pods.for_file() > 0;
}

bool is_clock_set_back(TimedRecords before, TimedRecords after) {
  // A pod that is bound is not tried again.
  PodOrders pods;
  pods.add(before);
  pods.add(after);
  if (const std::int64_t more = pods.for_file(); more != 0) return more > 0;
  if (is_other_process(before.back(), after.front()) || has_in_common(before, after)) return false;
  if (is_page(before, after)) return false;
  const flow::KlogTime first = first_of(before);
  const flow::KlogTime latest = latest_of(before);
  const flow::KlogTime begin = after.front().time;
  const std::int64_t step = flow::micros_between(begin, latest);
  if (step > TimeSteps::kLargestStep) return true;  // daylight saving time has ended
  if (!flow::is_earlier(first, begin)) return false;
  if (step <= kUsualStep) return true;
  // The log of another scheduler begins about where this one does, or ends before it.
  const bool goes_beyond = flow::is_earlier(latest, latest_of(after));
  return goes_beyond && 2 * step < flow::micros_between(first, latest);
}

}  // namespace flowtap::cli
