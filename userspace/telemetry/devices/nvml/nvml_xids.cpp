#include "telemetry/devices/nvml/nvml_xids.hpp"

#include "telemetry/devices/nvml/nvml_call.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr unsigned kMostEvents = 10'000;  // in one go

}  // namespace

XidWatch::XidWatch(const Functions& call, std::uint64_t& unread) : call_(call) {
  if (call.event_set_create == nullptr || call.register_events == nullptr || call.wait_event == nullptr)
    return;
  Look look{.unread = unread};
  events_ = look.ask<EventSet>(call.event_set_create).value_or(nullptr);
}

XidWatch::~XidWatch() {
  if (events_ != nullptr && call_.event_set_free != nullptr) call_.event_set_free(events_);
}

bool XidWatch::watch(Handle device, std::uint64_t& unread) {
  if (events_ == nullptr) return false;
  Look look{.unread = unread};
  const bool watched = look.good(call_.register_events(device, kEventXid, events_));
  any_ = any_ || watched;
  return watched;
}

void XidWatch::take(const std::function<void(Handle, std::uint64_t xid)>& report, std::uint64_t& unread) {
  if (!any_) return;
  for (unsigned i = 0; i < kMostEvents; ++i) {
    EventData event{};
    const int result = call_.wait_event(events_, &event, 0);
    if (result == kTimeout) return;  // no more
    Look look{.unread = unread};
    if (!look.good(result)) return;
    if ((event.type & kEventXid) != 0) report(event.device, event.data);
  }
}

}  // namespace flowtap::telemetry::nvml
