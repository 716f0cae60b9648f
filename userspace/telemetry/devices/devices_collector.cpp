#include "telemetry/devices/devices_collector.hpp"

#include <utility>

#include "telemetry/devices/device_series.hpp"

namespace flowtap::telemetry {

void DeviceBoard::post(std::string_view source, std::string told) {
  const std::scoped_lock lock(mutex_);
  told_.insert_or_assign(std::string(source), std::move(told));
}

std::string DeviceBoard::read() const {
  const std::scoped_lock lock(mutex_);
  std::string line;
  for (const auto& [source, told] : told_)
    if (!told.empty()) line += (line.empty() ? "GPU: " : ", ") + told;
  return line;
}

void DevicesCollector::read(Device& device, DeviceClock::time_point now, Collected& out) {
  const DeviceValues values = device.read(now, out.unread);
  DeviceUses uses;
  for (const DeviceProcess& process : values.processes)
    uses[{processes_.name(process.pid, now), process.instance}].add(process);
  const DeviceIdentity& who = device.identity();
  const auto [at, fresh] = ledgers_.try_emplace({std::string(who.vendor), who.device, who.uuid}, keep_);
  DeviceLedger& ledger = at->second;
  // Another device had the same labels in this round: one of their series would be there twice.
  if (!fresh && ledger.last() == now) {
    ++out.unread;
    return;
  }
  const std::uint64_t before = ledger.shares().node();
  ledger.round(values, uses, now);
  if (joules_) joules_->add(ledger.shares().node() - before);
  append_series(who, values, uses, ledger, out);
}

void DevicesCollector::collect(Collected& out) {
  const auto now = now_();
  const auto devices = vendor_->devices(now, out.unread);
  for (Device* device : devices) read(*device, now, out);
  const std::string source(vendor_->source());
  out.add(stats::StatId::kDEVICE_SOURCE, std::uint64_t{devices.empty() ? 0U : 1U}, {source});
  std::string told = vendor_->missing();
  if (!devices.empty())
    told = std::to_string(devices.size()) + " by " + source + (told.empty() ? "" : " (" + told + ")");
  board_->post(source, std::move(told));
  processes_.forget_old(now);
  std::erase_if(ledgers_, [&](const auto& entry) { return now - entry.second.last() > keep_; });
}

}  // namespace flowtap::telemetry
