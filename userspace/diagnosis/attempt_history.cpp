#include "diagnosis/attempt_history.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"

namespace flowtap::diagnosis {
namespace {

using Status = Diagnosis::Status;

std::size_t bytes_of(const OldAttempt& old) {
  return sizeof(OldAttempt) + old.says.scheduler.size() + old.says.summary.size();
}

/// What is said of one attempt twice: as of its phases, see PodAttempts.
OldAttempt of_both(OldAttempt device, OldAttempt generic) {
  const bool same = device.says.status == generic.says.status;
  const bool later = !flow::is_earlier(device.time.last, generic.time.last);
  const bool is_device = same                                      ? !device.says.summary.empty()
                         : device.says.status == Status::kPending  ? false
                         : generic.says.status == Status::kPending ? true
                                                                   : later;
  return is_device ? std::move(device) : std::move(generic);
}

/// As many as are left of them once what is of another pod has gone.
class Taken {
 public:
  Taken(const AttemptHistory& history, const Attempt* over, const flow::KlogTime& born)
      : old_(history.kept()), dropped_(history.dropped()) {
    if (over != nullptr) old_.push_back(in_short(*over));
    const auto is_of_other = [&](const OldAttempt& old) { return flow::is_earlier(old.time.last, born); };
    if (std::erase_if(old_, is_of_other) > 0) dropped_ = 0;
  }

  [[nodiscard]] bool empty() const { return old_.empty(); }
  [[nodiscard]] const AttemptTime& newest() const { return old_.back().time; }
  /// Those that are told no more among them.
  [[nodiscard]] std::size_t all() const { return old_.size() + dropped_; }
  OldAttempt take() {
    OldAttempt out = std::move(old_.back());
    old_.pop_back();
    return out;
  }

 private:
  std::vector<OldAttempt> old_;
  std::size_t dropped_;
};

}  // namespace

OldAttempt in_short(const Attempt& attempt) {
  const Diagnosis all = attempt.diagnosis();
  const bool at_bind = all.bind.verdict != Verdict::kNone;
  return {.says = {.time = all.last,
                   .scheduler = all.scheduler,
                   .status = all.status,
                   .at_bind = at_bind,
                   .summary = std::string(beginning_of(at_bind ? all.bind.summary : all.filter.summary,
                                                       AttemptHistory::kLongestSummary))},
          .time = attempt.time()};
}

void AttemptHistory::add(const Attempt& attempt, const Fact& next) {
  const std::string_view uid = next[Field::kUid];
  if (attempt.bind().says.verdict == Verdict::kPassed ||
      (!uid.empty() && !attempt.uid().empty() && uid != attempt.uid())) {
    *this = AttemptHistory();
    born_ = next.time;
    return;
  }
  if (kept_.empty()) begun_ = attempt.first();
  if (kept_.size() == kMost) {
    bytes_ -= bytes_of(kept_.front());
    kept_.erase(kept_.begin());
    ++dropped_;
  }
  kept_.push_back(in_short(attempt));
  bytes_ += bytes_of(kept_.back());
}

AttemptOrder order_of(const AttemptTime& device, const AttemptTime& generic) {
  if (flow::is_earlier(device.first, generic.since)) return AttemptOrder::kDeviceOlder;
  if (generic.closed && flow::is_earlier(generic.last, device.first)) return AttemptOrder::kGenericOlder;
  return AttemptOrder::kSame;
}

void tell_history(Diagnosis& diagnosis, const AttemptHistory& device, const AttemptHistory& generic,
                  const Attempt* device_over, const Attempt* generic_over) {
  const flow::KlogTime born =
      !device.born() || flow::is_earlier(device.born(), generic.born()) ? generic.born() : device.born();
  Taken one(device, device_over, born);
  Taken other(generic, generic_over, born);
  const auto put = [&diagnosis](OldAttempt newest) {
    if (diagnosis.history.size() < AttemptHistory::kMost) diagnosis.history.push_back(std::move(newest.says));
  };
  std::size_t before = 0;
  for (; !one.empty() && !other.empty(); ++before) {
    const AttemptOrder order = order_of(one.newest(), other.newest());
    put(order == AttemptOrder::kDeviceOlder    ? other.take()
        : order == AttemptOrder::kGenericOlder ? one.take()
                                               : of_both(one.take(), other.take()));
  }
  // What is left of one is of attempts that the other has dropped, as far as it has dropped any.
  before += std::max(one.all(), other.all());
  while (!one.empty()) put(one.take());
  while (!other.empty()) put(other.take());
  diagnosis.attempt = before + 1;
}

}  // namespace flowtap::diagnosis
