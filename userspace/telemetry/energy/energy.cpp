#include "telemetry/energy/energy.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "telemetry/energy/cpu_time.hpp"
#include "telemetry/energy/joules.hpp"
#include "telemetry/energy/powercap.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// A management controller behind a slow bus takes that long to read its sensors.
constexpr std::chrono::seconds kFresh{5};

}  // namespace

// Another collector reads the sensors at the same time: readings from the round before are fresh, too, however long a
// round is.
std::shared_ptr<const EnergyReadings> EnergyCollector::fresh_sensors(EnergyClock::time_point now) {
  const auto oldest = std::min(now - kFresh, std::exchange(earlier_, std::exchange(before_, now)));
  auto readings = from_.sensors ? from_.sensors->read() : nullptr;
  return readings && readings->at >= oldest ? readings : nullptr;
}

void EnergyCollector::collect(Collected& out) {
  const auto now = now_();
  EnergyReadings powercap = read_powercap(from_.sysfs, out.unread);
  powercap.at = now;
  std::vector<LackingPart> lacking = std::move(powercap.lacking);
  parts_.begin();
  parts_.add(powercap, out.unread);
  if (const auto sensors = fresh_sensors(now)) {
    parts_.add(*sensors, out.unread);
    std::ranges::copy(sensors->lacking, std::back_inserter(lacking));
  }
  append_parts(out);

  const EnergyBasis before = total_.basis();
  const auto uj = total_.add(parts_.read_now(), now, lacking);
  if (uj) {
    // The new basis has not counted what devices used while another one stood for the node.
    const bool same = before == EnergyBasis::kNone || total_.basis() == before;
    const std::uint64_t of_devices = devices_.take(same ? total_.devices_room() : std::nullopt);
    divide(*uj - of_devices, out);
  } else if (before == EnergyBasis::kNone && !parts_.read_now().empty()) {
    devices_.take(std::nullopt);
    divide(0, out);  // the first energy will cover the time from here on
  }
  const bool available = uj && node() > 0;
  out.add(StatId::kENERGY_SOURCE_AVAILABLE, std::uint64_t{available ? 1U : 0U});
  if (available) append_node(out);
}

void EnergyCollector::divide(std::uint64_t uj, Collected& out) {
  const auto cpu = read_cpu_time(from_.proc, out.unread);
  const bool ready = cpu && (!from_.consumers || from_.consumers->ready());
  waits_ = ready ? 0 : std::min(waits_ + 1, kMostWaits + 1);
  const bool now = ready || waits_ > kMostWaits;
  std::vector<EnergyConsumer> consumers;
  if (now && from_.consumers) consumers = from_.consumers->consumers();
  const auto energy = now ? attribution_.add(uj, cpu, consumers) : attribution_.wait(uj);
  if (from_.consumers) from_.consumers->charged(energy, out);
}

void EnergyCollector::append_parts(Collected& out) const {
  const auto parts = parts_.read_now();
  for (const EnergyPart& part : parts)
    if (part.total > 0)
      out.add(StatId::kENERGY_PART, joules(part.total),
              {std::string(part.source), std::string(part.part), std::string(part.place)});
  if (!parts.empty()) out.add(StatId::kENERGY_JUMPS, parts_.jumps());
}

void EnergyCollector::append_node(Collected& out) const {
  out.add(StatId::kENERGY_BASIS, std::uint64_t{1}, {std::string(basis_name(total_.basis()))});
  out.add(StatId::kENERGY_MISSING, std::uint64_t{total_.missing()});
  out.add(StatId::kNODE_ENERGY, joules(node()));
  if (devices() > 0) out.add(StatId::kNODE_ENERGY_DEVICES, joules(devices()));
  out.add(StatId::kNODE_ENERGY_IDLE, joules(attribution_.idle()));
  out.add(StatId::kNODE_ENERGY_ACTIVE, joules(attribution_.active()));
  if (!from_.consumers) return;
  out.add(StatId::kNODE_ENERGY_SYSTEM, joules(attribution_.system()));
  out.add(StatId::kNODE_ENERGY_ENDED, joules(attribution_.gone()));
}

}  // namespace flowtap::telemetry
