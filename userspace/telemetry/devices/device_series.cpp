#include "telemetry/devices/device_series.hpp"

#include <utility>

#include "telemetry/energy/joules.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

// The series of one device: each with its labels in front.
class Writer {
 public:
  Writer(const DeviceIdentity& identity, DeviceLedger& ledger, Collected& out)
      : labels_{std::string(identity.vendor), identity.device, identity.uuid}, ledger_(ledger), out_(out) {}

  void add(StatId id, stats::Value value, std::vector<std::string> more = {}) {
    std::vector<std::string> labels = labels_;
    for (std::string& label : more) labels.push_back(std::move(label));
    out_.add(id, std::move(value), std::move(labels));
  }
  template <typename T>
  void add_if(StatId id, const std::optional<T>& value, const std::vector<std::string>& more = {}) {
    if (value) add(id, *value, more);
  }
  void add_all(StatId id, const LabelledGauges& gauges) {
    for (const auto& [which, value] : gauges) add(id, value, {std::string(which)});
  }
  void add_all(StatId id, const LabelledCounters& counters) {
    for (const auto& [which, value] : counters)
      add(id, ledger_.steady(id, which, value), {std::string(which)});
  }
  void add_user(StatId id, const DeviceUser& user, stats::Value value) {
    std::vector<std::string> more{user.instance};
    for (std::string& label : user.name.labels()) more.push_back(std::move(label));
    add(id, std::move(value), std::move(more));
  }
  template <typename T>
  void add_user_if(StatId id, const DeviceUser& user, const std::optional<T>& value) {
    if (value) add_user(id, user, *value);
  }

 private:
  std::vector<std::string> labels_;
  DeviceLedger& ledger_;
  Collected& out_;
};

void append_gauges(const DeviceValues& v, Writer& to) {
  to.add_if(StatId::kDEVICE_UTILIZATION, v.utilization);
  to.add_if(StatId::kDEVICE_MEMORY_UTILIZATION, v.memory_utilization);
  to.add_if(StatId::kDEVICE_ENCODER, v.encoder);
  to.add_if(StatId::kDEVICE_DECODER, v.decoder);
  to.add_if(StatId::kDEVICE_MEMORY_TOTAL, v.memory_total);
  to.add_if(StatId::kDEVICE_MEMORY_USED, v.memory_used);
  to.add_if(StatId::kDEVICE_MEMORY_FREE, v.memory_free);
  to.add_if(StatId::kDEVICE_MEMORY_RESERVED, v.memory_reserved);
  to.add_if(StatId::kDEVICE_POWER, v.watts);
  to.add_if(StatId::kDEVICE_POWER_LIMIT, v.limit_watts);
  to.add_all(StatId::kDEVICE_TEMPERATURE, v.celsius);
  to.add_all(StatId::kDEVICE_CLOCK, v.hertz);
  to.add_all(StatId::kDEVICE_PCIE_RATE, v.pcie_rates);
}

void append_counters(const DeviceValues& v, DeviceLedger& ledger, Writer& to) {
  to.add_all(StatId::kDEVICE_ECC, v.ecc);
  to.add_all(StatId::kDEVICE_ECC_LIFETIME, v.ecc_lifetime);
  to.add_all(StatId::kDEVICE_PCIE, v.pcie_bytes);
  to.add_all(StatId::kDEVICE_NVLINK, v.nvlink_bytes);
  if (v.pcie_replays)
    to.add(StatId::kDEVICE_PCIE_REPLAYS, ledger.steady(StatId::kDEVICE_PCIE_REPLAYS, {}, *v.pcie_replays));
}

void append_instances(const DeviceValues& v, Writer& to) {
  for (const DeviceInstance& one : v.instances) {
    to.add(StatId::kDEVICE_INSTANCE_INFO, std::uint64_t{1}, {one.name, one.uuid, one.model});
    to.add_if(StatId::kDEVICE_INSTANCE_MEMORY_TOTAL, one.memory_total, {one.name});
    to.add_if(StatId::kDEVICE_INSTANCE_MEMORY_USED, one.memory_used, {one.name});
    to.add_if(StatId::kDEVICE_INSTANCE_PROCESSORS, one.processors, {one.name});
  }
}

void append_users(const DeviceUses& uses, Writer& to) {
  for (const auto& [user, use] : uses) {
    to.add_user(StatId::kWORKLOAD_DEVICE_PROCESSES, user, use.processes);
    to.add_user_if(StatId::kWORKLOAD_DEVICE_MEMORY, user, use.memory);
    to.add_user_if(StatId::kWORKLOAD_DEVICE_UTILIZATION, user, use.utilization);
    to.add_user_if(StatId::kWORKLOAD_DEVICE_MEMORY_UTILIZATION, user, use.memory_utilization);
    to.add_user_if(StatId::kWORKLOAD_DEVICE_ENCODER, user, use.encoder);
    to.add_user_if(StatId::kWORKLOAD_DEVICE_DECODER, user, use.decoder);
  }
}

void append_energy(const DeviceLedger& ledger, Writer& to) {
  if (!ledger.energy().known()) return;
  to.add(StatId::kDEVICE_ENERGY, joules(ledger.shares().node()));
  to.add(StatId::kDEVICE_ENERGY_IDLE, joules(ledger.shares().idle()));
  to.add(StatId::kDEVICE_ENERGY_UNATTRIBUTED, joules(ledger.shares().system()));
  to.add(StatId::kDEVICE_ENERGY_ENDED, joules(ledger.shares().gone()));
  to.add(StatId::kDEVICE_ENERGY_JUMPS, ledger.energy().jumps());
  for (const auto& [user, uj] : ledger.users())
    if (uj > 0) to.add_user(StatId::kWORKLOAD_DEVICE_ENERGY, user, joules(uj));
}

}  // namespace

void append_series(const DeviceIdentity& identity, const DeviceValues& values, const DeviceUses& uses,
                   DeviceLedger& ledger, Collected& out) {
  Writer to(identity, ledger, out);
  to.add(StatId::kDEVICE_INFO, std::uint64_t{1},
         {identity.model, identity.driver, identity.index, identity.node});
  to.add(StatId::kDEVICE_LOSSES, ledger.losses());
  for (const auto& [xid, count] : values.xids) to.add(StatId::kDEVICE_XID, count, {xid});
  to.add_if(StatId::kDEVICE_LAST_XID, values.last_xid);
  append_gauges(values, to);
  append_counters(values, ledger, to);
  append_instances(values, to);
  append_users(uses, to);
  append_energy(ledger, to);
}

}  // namespace flowtap::telemetry
