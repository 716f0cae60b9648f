#include "telemetry/devices/nvml/nvml_device.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <utility>

#include "telemetry/devices/nvml/nvml_processes.hpp"
#include "telemetry/devices/printable_label.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr double kMilli = 1e-3;
constexpr double kMega = 1e6;
constexpr std::uint64_t kMicroPerMilli = 1000;
constexpr unsigned kMostMilliwatts = 100'000'000;
constexpr unsigned kMostMegahertz = 100'000;
constexpr std::size_t kMostXids = 64;

constexpr std::array<std::string_view, 2> kSeverities{"corrected", "uncorrected"};

}  // namespace

void Kept::count_xid(std::uint64_t xid) {
  std::string number = std::to_string(xid);
  last_xid = xid;
  ++xids[xids.size() <= kMostXids || xids.contains(number) ? std::move(number) : "other"];
}

std::string text_of(GetText* function, Handle handle) {
  std::array<char, 97> text{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE, and an end that is always there
  if (function == nullptr || function(handle, text.data(), text.size() - 1) != kSuccess) return {};
  return printable_label(text.data());
}

DeviceIdentity identify(const Functions& call, Handle handle, unsigned index) {
  DeviceIdentity identity{.vendor = "nvidia", .device = fmt::format("nvidia{}", index)};
  PciInfo pci{};
  if (call.pci != nullptr && call.pci(handle, &pci) == kSuccess)
    identity.device = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
  identity.uuid = text_of(call.uuid, handle);
  identity.model = text_of(call.name, handle);
  identity.index = std::to_string(index);
  unsigned number = 0;
  if (call.minor_number != nullptr && call.minor_number(handle, &number) == kSuccess)
    identity.node = fmt::format("nvidia{}", number);
  return identity;
}

void Gpu::read_load(Look& look, DeviceValues& out) const {
  if (const auto load = look.ask<Utilization>(call_.utilization, handle_)) {
    out.utilization = ratio(load->gpu);
    out.memory_utilization = ratio(load->memory);
  }
  unsigned percent = 0;
  if (look.ask<unsigned>(call_.encoder, handle_, &percent)) out.encoder = ratio(percent);
  if (look.ask<unsigned>(call_.decoder, handle_, &percent)) out.decoder = ratio(percent);
  constexpr std::array<std::pair<std::string_view, Clock>, 4> kClocks{
      {{"graphics", kClockGraphics}, {"sm", kClockSm}, {"memory", kClockMemory}, {"video", kClockVideo}}};
  for (const auto& [name, which] : kClocks)
    if (const auto mhz = look.ask<unsigned>(call_.clock, handle_, unsigned{which});
        mhz && *mhz <= kMostMegahertz)
      out.hertz.push_back({name, *mhz * kMega});
}

void Gpu::read_memory(Look& look, DeviceValues& out) const {
  if (call_.memory_v2 != nullptr) {
    MemoryV2 memory{.version = kMemoryV2, .total = 0, .reserved = 0, .free = 0, .used = 0};
    if (!look.lost && look.good(call_.memory_v2(handle_, &memory))) {
      out.memory_total = counted(memory.total);
      out.memory_reserved = counted(memory.reserved);
      out.memory_free = counted(memory.free);
      out.memory_used = counted(memory.used);
      return;
    }
  }
  if (const auto memory = look.ask<nvml::Memory>(call_.memory, handle_)) {
    out.memory_total = counted(memory->total);
    out.memory_free = counted(memory->free);
    out.memory_used = counted(memory->used);
  }
}

void Gpu::read_power(Look& look, DeviceValues& out) const {
  if (const auto mw = look.ask<unsigned>(call_.power, handle_); mw && *mw <= kMostMilliwatts)
    out.watts = *mw * kMilli;
  if (const auto mw = look.ask<unsigned>(call_.power_limit, handle_); mw && *mw <= kMostMilliwatts)
    out.limit_watts = *mw * kMilli;
  if (const auto mj = look.ask<unsigned long long>(call_.energy, handle_);
      mj && *mj < kMostCounted / kMicroPerMilli)
    out.energy_uj = *mj * kMicroPerMilli;
  if (const auto celsius = look.ask<unsigned>(call_.temperature, handle_, kTemperatureGpu);
      celsius && *celsius <= kMostCelsius)
    out.celsius.push_back({"gpu", static_cast<double>(*celsius)});
}

void Gpu::read_errors(Look& look, DeviceValues& out) const {
  for (const Ecc type : {kCorrected, kUncorrected}) {
    const auto now = look.ask<unsigned long long>(call_.ecc, handle_, unsigned{type}, unsigned{kSinceDriver});
    if (const auto count = counted(now)) out.ecc.push_back({kSeverities.at(type), *count});
    const auto ever = look.ask<unsigned long long>(call_.ecc, handle_, unsigned{type}, unsigned{kSinceMade});
    if (const auto count = counted(ever)) out.ecc_lifetime.push_back({kSeverities.at(type), *count});
  }
  if (const auto replays = look.ask<unsigned>(call_.pcie_replays, handle_); replays && *replays != kNone32)
    out.pcie_replays = *replays;
}

DeviceValues Gpu::read(DeviceClock::time_point now, std::uint64_t& unread) {
  Look look{.unread = unread};
  DeviceValues out;
  read_load(look, out);
  read_memory(look, out);
  read_power(look, out);
  read_errors(look, out);
  read_fields(look, now, out);
  if (rates_ && out.pcie_bytes.empty()) read_rates(look, out);
  if (!look.lost) out.instances = read_instances(call_, handle_, look);
  if (!look.lost)
    out.processes = read_processes(call_, handle_, kept_.samples, {.steady = now, .wall = wall_()},
                                   out.utilization, look);
  lost_ = look.lost;
  if (lost_) out = {};
  out.lost = lost_;
  // These are also told about a device that is gone.
  if (xids_watched_) {
    out.xids = kept_.xids;
    out.last_xid = kept_.last_xid;
  }
  return out;
}

}  // namespace flowtap::telemetry::nvml
