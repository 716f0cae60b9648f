// What NVML offers under field numbers: the memory's temperature, traffic over NVLink and PCIe.
#include <array>

#include "telemetry/devices/nvml/nvml_device.hpp"

namespace flowtap::telemetry::nvml {
namespace {

constexpr std::uint64_t kKibi = 1024;
constexpr double kKilo = 1000;
constexpr std::array<std::string_view, 2> kDirections{"transmit", "receive"};

// Where each field stands in the one question; of two, transmit is the first.
enum Place : std::size_t { kMemory = 0, kNvlinkKib = 1, kNvlinkBytes = 3, kPcie = 5, kFields = 7 };

std::array<FieldValue, kFields> question() {
  std::array<FieldValue, kFields> fields{};
  constexpr std::array<Field, kFields> kNumbers{
      kFieldMemoryTemperature,  kFieldNvlinkTransmit, kFieldNvlinkReceive, kFieldNvlinkTransmitBytes,
      kFieldNvlinkReceiveBytes, kFieldPcieTransmit,   kFieldPcieReceive};
  for (std::size_t i = 0; i < kFields; ++i) {
    fields.at(i).field = kNumbers.at(i);
    fields.at(i).result = kNotSupported;                             // unless it is written
    if (i >= kNvlinkKib && i < kPcie) fields.at(i).scope = kNone32;  // all links together
  }
  return fields;
}

std::optional<std::uint64_t> number_of(const FieldValue& field, Look& look) {
  if (!look.good(field.result)) return std::nullopt;
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

bool is_wide(const FieldValue& field) {
  return field.type == kUnsignedLong || field.type == kUnsignedLongLong || field.type == kSignedLongLong;
}

}  // namespace

void Gpu::read_fields(Look& look, DeviceClock::time_point now, DeviceValues& out) const {
  if (call_.fields == nullptr || look.lost) return;
  auto fields = question();
  if (!look.good(call_.fields(handle_, static_cast<int>(fields.size()), fields.data()))) return;
  if (const auto celsius = number_of(fields[kMemory], look); celsius && *celsius <= kMostCelsius)
    out.celsius.push_back({"memory", static_cast<double>(*celsius)});
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    // From the fifth NVLink on the driver only has the second kind. They are two counters: one does not continue the
    // other.
    const auto kib = number_of(fields.at(kNvlinkKib + i), look);
    const auto bytes = number_of(fields.at(kNvlinkBytes + i), look);
    kept_.nvlink_in_kib = kept_.nvlink_in_kib || kib;
    if (kib && *kib < kMostCounted / kKibi)
      out.nvlink_bytes.push_back({kDirections.at(i), *kib * kKibi});
    else if (bytes && !kept_.nvlink_in_kib)
      out.nvlink_bytes.push_back({kDirections.at(i), *bytes});
    const FieldValue& pcie = fields.at(kPcie + i);
    const auto read = number_of(pcie, look);
    if (!read) continue;
    if (const auto counted = kept_.pcie.at(i).next(*read, is_wide(pcie), link(look), now))
      out.pcie_bytes.push_back({kDirections.at(i), *counted});
  }
}

// Bytes a second, for the fastest that card and slot can do, as the link is slowed down while it has little to do.
std::optional<double> Gpu::link(Look& look) const {
  const auto generation = look.ask<unsigned>(call_.pcie_generation, handle_);
  const auto lanes = look.ask<unsigned>(call_.pcie_lanes, handle_);
  return pcie_most(generation.value_or(0), lanes.value_or(0));
}

void Gpu::read_rates(Look& look, DeviceValues& out) const {
  for (const PcieDirection direction : {kTransmit, kReceive})
    if (const auto kb = look.ask<unsigned>(call_.pcie_rate, handle_, unsigned{direction});
        kb && *kb != kNone32)
      out.pcie_rates.push_back({kDirections.at(direction), *kb * kKilo});
}

}  // namespace flowtap::telemetry::nvml
