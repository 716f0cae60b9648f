#include "daemon/components/outlets.hpp"

namespace flowtap {
namespace {

constexpr std::chrono::milliseconds kStopLimit{3000};

}  // namespace

void OutletsComponent::run() {
  outlets_.set_given_up(shared_.given_up);
  apply(nullptr);
}

void OutletsComponent::apply(const stats::SnapshotPtr& told) {
  outlets_.apply(shared_.config, told);
  for (const auto& failed : outlets_.failed()) shared_.states.set(failed);
}

void OutletsComponent::report(api::StatusReport& status) {
  status.backends = outlets_.status();
  for (const auto& running : outlets_.components()) shared_.states.set(running);
}

void OutletsComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  if (const auto scrapes = outlets_.scrape_durations())
    out.push_back({&stats::stat(stats::StatId::kSCRAPE_DURATION), {}, *scrapes});
}

void OutletsComponent::reload(const Config& /*old*/) {
  apply(shared_.node.snapshot());
}

void OutletsComponent::stop() {
  outlets_.stop(kStopLimit);
}

}  // namespace flowtap
