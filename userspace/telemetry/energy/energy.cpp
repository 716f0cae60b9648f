#include "telemetry/energy/energy.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "telemetry/energy/cpu_time.hpp"
#include "telemetry/energy/hwmon.hpp"
#include "telemetry/energy/powercap.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// A double has whole microjoules up to 9 GJ: 285 years of 1 kW.
double joules(std::uint64_t uj) {
  return static_cast<double>(uj) / 1e6;
}

void append(Collected& out, StatId id, std::vector<std::string> labels, stats::Value value) {
  out.series.push_back({&stats::stat(id), std::move(labels), value});
}

}  // namespace

void EnergyCollector::collect(Collected& out) {
  const auto now = now_();
  std::vector<EnergyReading> counters = read_powercap(sysfs_, out.unread);
  SensorReadings sensors = read_hwmon(sysfs_, out.unread);
  std::ranges::move(sensors.counters, std::back_inserter(counters));
  const auto parts = parts_.read(counters, sensors.powers, now, out.unread);

  for (const EnergyPart& part : parts)
    if (part.total > 0)
      append(out, StatId::kENERGY_PART, {std::string(part.source), std::string(part.part)},
             joules(part.total));
  for (const PowerReading& power : sensors.powers)
    append(out, StatId::kSENSOR_POWER, {power.chip, power.device, power.sensor},
           static_cast<double>(power.uw) / 1e6);
  if (!parts.empty()) append(out, StatId::kENERGY_JUMPS, {}, parts_.jumps());

  const bool had_none = total_.basis() == EnergyBasis::kNone;
  const auto node = total_.add(parts, now);
  append(out, StatId::kENERGY_SOURCE_AVAILABLE, {}, std::uint64_t{node ? 1U : 0U});
  if (node) {
    share(*node, out);
    append_node(out);
  } else if (had_none && !parts.empty()) {
    share(0, out);  // the first energy will be of the time from here on
  }
}

void EnergyCollector::share(std::uint64_t node, Collected& out) {
  const auto cpu = read_cpu_time(proc_, out.unread);
  const auto consumers = consumers_ ? consumers_->consumers() : std::vector<EnergyConsumer>();
  const auto energy = attribution_.add(node, cpu, consumers);
  if (consumers_) consumers_->charged(energy, out);
}

void EnergyCollector::append_node(Collected& out) const {
  append(out, StatId::kENERGY_BASIS, {std::string(basis_name(total_.basis()))}, std::uint64_t{1});
  append(out, StatId::kNODE_ENERGY, {}, joules(attribution_.node()));
  append(out, StatId::kNODE_ENERGY_IDLE, {}, joules(attribution_.idle()));
  append(out, StatId::kNODE_ENERGY_ACTIVE, {}, joules(attribution_.active()));
  if (!consumers_) return;
  append(out, StatId::kNODE_ENERGY_SYSTEM, {}, joules(attribution_.system()));
  append(out, StatId::kNODE_ENERGY_ENDED, {}, joules(attribution_.gone()));
}

}  // namespace flowtap::telemetry
