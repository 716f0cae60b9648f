#include "daemon/outlets_component.hpp"

#include <chrono>

namespace flowtap {
namespace {

constexpr std::chrono::milliseconds kStopLimit{3000};

}  // namespace

void OutletsComponent::apply(const stats::SnapshotPtr& told) {
  outlets_.apply(options_, told);
  for (const auto& [name, why] : outlets_.failed()) health_.set({name, false, why.what, hint(name, why)});
}

void OutletsComponent::report(api::StatusReport& status) {
  for (const auto& [name, where, health] : outlets_.states()) {
    status.backends.push_back({name, health.up, health.pending, health.lost, health.last_error});
    health_.set({name, health.up, health.up ? where : health.last_error,
                 !health.up && health.refusal ? hint(name, *health.refusal) : std::string()});
  }
}

std::string OutletsComponent::hint(const std::string& name, const Error& error) const {
  const std::string rights = given_up_.hint(name, error.code);
  return rights.empty() ? error.hint : rights;
}

void OutletsComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  if (const auto scrapes = outlets_.scrape_durations())
    out.push_back({&stats::stat(stats::StatId::kSCRAPE_DURATION), {}, *scrapes});
}

void OutletsComponent::stop() {
  outlets_.stop(kStopLimit);
}

}  // namespace flowtap
