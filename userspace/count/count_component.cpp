#include "count/count_component.hpp"

#include <fmt/format.h>

#include "base/node/kernel_release.hpp"
#include "base/node/on_host.hpp"

namespace flowtap {

CountComponent::CountComponent(Shared& shared, const CountOptions& options, const TelemetryOptions& telemetry,
                               const std::chrono::milliseconds& cycle)
    : shared_(shared), options_(options), telemetry_(telemetry), cycle_(cycle) {
  shared.read_errors.insert({{kProgramErrors, 0}, {CountPath::kTaskRecords, 0}, {CountPath::kTopology, 0}});
}

void CountComponent::open() {
  applied_ = telemetry_;
  if (options_.enabled) start();
}

void CountComponent::choose_cycles() {
  cycles_.choose(telemetry_, options_.enabled, on_host(shared_.host_root, "/sys"));
}

void CountComponent::choose_hierarchy() {
  hierarchy_ = identity::choose_hierarchy(shared_.host_root, telemetry_.hierarchy);
}

void CountComponent::start() {
  const std::string sysfs = on_host(shared_.host_root, "/sys");
  choose_cycles();
  choose_hierarchy();
  kernel::Accounting what{.counters = cycles_.counters()};
  if (telemetry_.enabled && hierarchy_) {
    static_assert(kMostCgroups == kernel::kMostGroups);
    what.cgroups = static_cast<std::uint32_t>(telemetry_.max_cgroups);
    what.hierarchy = hierarchy_->id;
  }
  auto started = CountPath::start(sysfs, what);
  if (!started && what.counters) {
    cycles_.give_up(started.error().what);
    what.counters = nullptr;
    started = CountPath::start(sysfs, what);
  }
  if (!started) return health_.set(CountPath::kName, std::unexpected(started.error()), {});
  path_ = std::move(*started);
  health_.set(CountPath::kName, {}, path_->how());
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

bool CountComponent::changes() const {
  const TelemetryOptions& then = telemetry_;
  return options_.enabled != (path_ != nullptr) || then.enabled != applied_.enabled ||
         then.max_cgroups != applied_.max_cgroups || then.hierarchy != applied_.hierarchy ||
         then.cycles != applied_.cycles;
}

void CountComponent::let_go() {
  if (!path_ || !changes()) return;
  take();  // what was counted since the last cycle
  path_.reset();
}

void CountComponent::take_options() {
  applied_ = telemetry_;
  if (!options_.enabled)  // the counters are left to others then
    choose_cycles();
  else if (path_)
    health_.set(CountPath::kName, {}, path_->how());
  else
    start();
}

std::string CountComponent::sentence() const {
  if (!path_) return "does not count";
  return fmt::format("counts on {} CPUs of kernel {}, a cycle every {} ms", path_->cpus_online(),
                     kernel_release(), cycle_.count());
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
