#include "telemetry/devices/nvml_device.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <utility>

#include "telemetry/devices/nvml_processes.hpp"
#include "telemetry/devices/printable_label.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr double kMilli = 1e-3;
constexpr double kMega = 1e6;
constexpr double kKilo = 1000;
constexpr std::uint64_t kKibi = 1024;
constexpr std::uint64_t kMicroPerMilli = 1000;
constexpr unsigned kMostCelsius = 250;
constexpr unsigned kMostMilliwatts = 100'000'000;
constexpr unsigned kMostMegahertz = 100'000;
constexpr std::uint64_t kMostCounted = std::uint64_t{1}
                                       << 60U;  // drivers show values near 2^63 for "not available"
constexpr std::size_t kMostXids = 64;

constexpr std::array<std::string_view, 2> kDirections{"transmit", "receive"};
constexpr std::array<std::string_view, 2> kSeverities{"corrected", "uncorrected"};

std::optional<std::uint64_t> counted(std::optional<std::uint64_t> value) {
  return value && *value < kMostCounted ? value : std::nullopt;
}

std::optional<std::uint64_t> number_of(const FieldValue& field) {
  if (field.result != kSuccess) return std::nullopt;
  switch (field.type) {
    case kUnsignedInt:
      return field.value.u != kNone32 ? std::optional<std::uint64_t>(field.value.u) : std::nullopt;
    case kUnsignedLong:
      return counted(field.value.ul);
    case kUnsignedLongLong:
      return counted(field.value.ull);
    case kSignedLongLong:
      return field.value.ll >= 0 ? counted(static_cast<std::uint64_t>(field.value.ll)) : std::nullopt;
    case kSignedInt:
      return field.value.i >= 0 ? std::optional<std::uint64_t>(field.value.i) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

void Kept::count_xid(std::uint64_t xid) {
  std::string number = std::to_string(xid);
  ++xids[xids.size() < kMostXids || xids.contains(number) ? std::move(number) : "other"];
}

std::string text_of(GetText* function, Handle handle) {
  std::array<char, 97> text{};  // NVML_DEVICE_UUID_V2_BUFFER_SIZE, and an end that is there in any case
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

void Gpu::read_fields(Look& look, DeviceValues& out) const {
  if (call_.fields == nullptr || look.lost) return;
  std::array<FieldValue, 5> fields{};
  fields[0].field = kFieldMemoryTemperature;
  fields[1].field = kFieldNvlinkTransmit;
  fields[2].field = kFieldNvlinkReceive;
  fields[1].scope = fields[2].scope = kNone32;  // all links together
  fields[3].field = kFieldPcieTransmit;
  fields[4].field = kFieldPcieReceive;
  for (FieldValue& field : fields) field.result = kNotSupported;  // unless it is written
  if (!look.good(call_.fields(handle_, static_cast<int>(fields.size()), fields.data()))) return;
  if (const auto celsius = number_of(fields[0]); celsius && *celsius <= kMostCelsius)
    out.celsius.push_back({"memory", static_cast<double>(*celsius)});
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    if (const auto kib = number_of(fields.at(1 + i)); kib && *kib < kMostCounted / kKibi)
      out.nvlink_bytes.push_back({kDirections.at(i), *kib * kKibi});
    if (const auto bytes = number_of(fields.at(3 + i))) out.pcie_bytes.push_back({kDirections.at(i), *bytes});
  }
}

void Gpu::read_rates(Look& look, DeviceValues& out) const {
  for (const PcieDirection direction : {kTransmit, kReceive})
    if (const auto kb = look.ask<unsigned>(call_.pcie_rate, handle_, unsigned{direction});
        kb && *kb != kNone32)
      out.pcie_rates.push_back({kDirections.at(direction), *kb * kKilo});
}

DeviceValues Gpu::read(DeviceClock::time_point /*now*/, std::uint64_t& unread) {
  Look look{.unread = unread};
  DeviceValues out;
  read_load(look, out);
  read_memory(look, out);
  read_power(look, out);
  read_errors(look, out);
  read_fields(look, out);
  if (rates_ && out.pcie_bytes.empty()) read_rates(look, out);
  if (!look.lost) out.instances = read_instances(call_, handle_, look);
  if (!look.lost) out.processes = read_processes(call_, handle_, kept_.samples_seen, look.lost, unread);
  lost_ = look.lost;
  if (lost_) out = {};
  out.lost = lost_;
  out.xids = kept_.xids;  // these are told of a device that is gone as well
  return out;
}

}  // namespace flowtap::telemetry::nvml
