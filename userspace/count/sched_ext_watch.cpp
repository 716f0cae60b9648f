#include "count/sched_ext_watch.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace flowtap {
namespace {

using stats::StatId;

// The only event that is a time: SCX_EV_BYPASS_DURATION, in ns.
constexpr std::string_view kBypassTime = "bypass_duration";
constexpr std::array<std::string_view, 4> kStates = {"disabled", "enabling", "enabled", "disabling"};

stats::Series series(StatId id, std::vector<std::string> labels, stats::Value value) {
  return {&stats::stat(id), std::move(labels), value};
}

}  // namespace

void SchedExtWatch::Counter::note(std::uint64_t value, std::optional<std::uint64_t> now) {
  // A fallen value also shows a new run, in case the sequence is missing. Where the sequence could not be read, the
  // last one is used.
  if ((now && now != run) || value < last) before += last;
  last = value;
  if (now) run = now;
}

void SchedExtWatch::note(const std::optional<kernel::SchedExt>& now) {
  now_ = now;
  // While a scheduler is being loaded its counters exist already, under the sequence of the one before.
  if (!now || now->scheduler.empty() || now->state != "enabled") return;
  if (now->rejected) rejected_[now->scheduler].note(*now->rejected, now->enable_sequence);
  for (const auto& [event, value] : now->events)
    events_[{now->scheduler, event}].note(value, now->enable_sequence);
}

void SchedExtWatch::append_state(std::vector<stats::Series>& out) const {
  for (const std::string_view state : kStates)
    out.push_back(series(StatId::kSCHED_EXT_STATE, {std::string(state)}, now_->state == state ? 1.0 : 0.0));
  if (std::ranges::find(kStates, now_->state) == kStates.end())
    out.push_back(series(StatId::kSCHED_EXT_STATE, {"other"}, 1.0));
}

void SchedExtWatch::append_samples(std::vector<stats::Series>& out) const {
  if (!now_) return;
  if (!now_->state.empty()) append_state(out);
  if (!now_->scheduler.empty()) out.push_back(series(StatId::kSCHED_EXT_INFO, {now_->scheduler}, 1.0));
  if (now_->enable_sequence) out.push_back(series(StatId::kSCHED_EXT_ENABLES, {}, *now_->enable_sequence));
  for (const auto& [scheduler, counter] : rejected_)
    out.push_back(series(StatId::kSCHED_EXT_REJECTED, {scheduler}, counter.total()));
  for (const auto& [name, counter] : events_) {
    if (name.second == kBypassTime) {
      out.push_back(
          series(StatId::kSCHED_EXT_BYPASS, {name.first}, static_cast<double>(counter.total()) * 1e-9));
      continue;
    }
    out.push_back(series(StatId::kSCHED_EXT_EVENTS, {name.first, name.second}, counter.total()));
  }
}

}  // namespace flowtap
