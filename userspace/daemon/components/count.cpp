#include "daemon/components/count.hpp"

#include <fmt/format.h>

#include "base/on_host.hpp"
#include "base/kernel_release.hpp"

namespace flowtap {

void CountComponent::open() {
  if (shared_.config.count.enabled) start();
}

void CountComponent::choose_hierarchy() {
  hierarchy_ = identity::choose_hierarchy(shared_.config.host_root, shared_.config.telemetry.hierarchy);
}

void CountComponent::start() {
  const Config& config = shared_.config;
  const std::string sysfs = on_host(config.host_root, "/sys");
  cycles_.choose(config.telemetry, config.count.enabled, sysfs);
  choose_hierarchy();
  kernel::Accounting what{.counters = cycles_.counters()};
  if (config.telemetry.enabled && hierarchy_) {
    what.cgroups = static_cast<std::uint32_t>(config.telemetry.max_cgroups);
    what.hierarchy = hierarchy_->id;
  }
  auto started = CountPath::start(sysfs, what);
  if (!started && what.counters) {
    cycles_.give_up(started.error().what);
    what.counters = nullptr;
    started = CountPath::start(sysfs, what);
  }
  if (!started) return shared_.states.set(CountPath::kName, std::unexpected(started.error()), {});
  path_ = std::move(*started);
  shared_.states.set(CountPath::kName, {}, CountPath::kHow);
}

void CountComponent::look_around() {
  if (path_) path_->look_around(shared_.read_errors);
}

void CountComponent::take() {
  if (path_) path_->take(shared_.registry);
}

void CountComponent::report(api::StatusReport& status) {
  if (path_) path_->report(status.count);
}

bool CountComponent::changes(const Config& next) const {
  const TelemetryOptions& now = shared_.config.telemetry;
  const TelemetryOptions& then = next.telemetry;
  return next.count.enabled != (path_ != nullptr) || then.enabled != now.enabled ||
         then.max_cgroups != now.max_cgroups || then.hierarchy != now.hierarchy || then.cycles != now.cycles;
}

void CountComponent::let_go(const Config& next) {
  if (!path_ || !changes(next)) return;
  take();  // what was counted since the last cycle
  path_.reset();
}

void CountComponent::reload(const Config& /*old*/) {
  const Config& config = shared_.config;
  if (!config.count.enabled)  // other programs may use the counters then
    cycles_.choose(config.telemetry, config.count.enabled, on_host(config.host_root, "/sys"));
  else if (path_)
    shared_.states.set(CountPath::kName, {}, CountPath::kHow);
  else
    start();
}

std::string CountComponent::sentence() const {
  if (!path_) return "does not count";
  return fmt::format("counts on {} CPUs of kernel {}, a cycle every {} ms", path_->cpus_online(),
                     kernel_release(), shared_.config.cycle.count());
}

Result<std::unique_ptr<stats::UsageSource>> CountComponent::usage() {
  if (!path_) {
    choose_hierarchy();  // the names of processes are needed all the same
    return nullptr;
  }
  if (!hierarchy_) return std::unexpected(hierarchy_.error());
  return path_->usage();
}

identity::UsageHierarchy CountComponent::hierarchy() const {
  return hierarchy_.value_or(identity::UsageHierarchy{});
}

}  // namespace flowtap
