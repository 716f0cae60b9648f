#include "count/cycle_counting.hpp"

#include "base/with_hint.hpp"
#include "kernel/topology.hpp"
#include "telemetry/energy/powercap.hpp"

namespace flowtap {
namespace {

bool measures_energy(const std::string& sysfs) {
  std::uint64_t unread = 0;  // the collector counts it
  return !telemetry::read_powercap(sysfs, unread).counters.empty();
}

Result<kernel::CycleCounters> open_all(const std::string& sysfs) {
  FTAP_TRY_ASSIGN(topology, kernel::read_topology(sysfs));
  return kernel::CycleCounters::open(topology, kernel::CycleEvent::hardware());
}

}  // namespace

void CycleCounting::choose(const TelemetryOptions& options, bool counts, const std::string& sysfs) {
  why_not_.clear();
  const bool divided = options.enabled && counts && measures_energy(sysfs);
  wanted_ = divided && options.cycles;
  if (!options.cycles) {
    counters_.reset();
    if (divided) why_not_ = "telemetry.cycles is false";
  } else if (divided && !counters_) {
    auto opened = open_all(sysfs);
    if (opened)
      counters_ = std::make_shared<const kernel::CycleCounters>(std::move(*opened));
    else
      why_not_ = with_hint(opened.error());
  }
}

void CycleCounting::give_up(const std::string& why) {
  wanted_ = false;
  why_not_ = why;
}

}  // namespace flowtap
