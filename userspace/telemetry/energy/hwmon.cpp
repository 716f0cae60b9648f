#include "telemetry/energy/hwmon.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/energy/attribute.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kMostChips = 128;
constexpr std::size_t kMostFiles = 2048;                      // amd_energy has two for each core and socket
constexpr std::uint64_t kMostMicrowatts = 1'000'000'000'000;  // one megawatt
constexpr std::string_view kHwmon = "hwmon";

struct Chip {
  std::string directory;
  std::string place;  // "hwmon3": it changes with the next boot
  std::string name;
  std::string device;
};

// "energy12" from "energy12_input"; empty where the name is of another kind.
std::string_view sensor_of(std::string_view file, std::string_view kind, std::string_view what) {
  if (!file.starts_with(kind) || !file.ends_with(what)) return {};
  const std::string_view sensor = file.substr(0, file.size() - what.size());
  if (sensor.size() <= kind.size() || sensor.size() > kind.size() + 4) return {};
  return whole_number(sensor.substr(kind.size())) ? sensor : std::string_view();
}

std::optional<Chip> chip_at(const std::string& root, const std::string& place, std::uint64_t& unread) {
  const std::string directory = root + "/" + place;
  auto name = read_label(directory + "/name", unread);
  if (!name) return std::nullopt;
  std::uint64_t unasked = 0;  // not every device has a state
  if (read_label(directory + "/device/power/runtime_status", unasked) == "suspended") return std::nullopt;
  std::error_code error;
  const auto device = std::filesystem::read_symlink(directory + "/device", error);
  return Chip{directory, place, std::move(*name), error ? place : label_text(device.filename().string())};
}

// The sensor's own label, if it has one.
std::string name_of(const Chip& chip, std::string_view sensor, std::uint64_t& unread) {
  const std::string base = std::string(sensor);
  return read_label(chip.directory + "/" + base + "_label", unread).value_or(base);
}

void add_counter(const Chip& chip, std::string_view sensor, EnergyReadings& out, std::uint64_t& unread) {
  const std::string name = name_of(chip, sensor, unread);
  const bool amd = chip.name == "amd_energy";  // Documentation/hwmon/amd_energy.rst: "Esocket0", "Ecore000"
  if (amd && name.starts_with("Ecore")) return;
  const EnergyDomain domain =
      amd && name.starts_with("Esocket") ? EnergyDomain::kSocket : EnergyDomain::kOther;
  std::string part = chip.name + "/" + chip.device + "/" + name;
  const std::uint64_t before = unread;
  const auto uj = read_number(chip.directory + "/" + std::string(sensor) + "_input", unread);
  if (uj)
    out.counters.push_back({kHwmon, std::move(part), chip.place + "/" + std::string(sensor), domain, *uj, 0});
  else if (unread != before && domain == EnergyDomain::kSocket)
    out.lacking.push_back({kHwmon, std::move(part), domain});
}

std::optional<std::uint64_t> read_power(const std::string& path, std::uint64_t& unread) {
  const auto uw = read_number(path, unread);
  if (!uw || *uw < kMostMicrowatts) return uw;
  ++unread;
  return std::nullopt;
}

void add_power(const Chip& chip, std::string_view sensor, std::string_view what, EnergyReadings& out,
               std::uint64_t& unread) {
  const std::uint64_t before = unread;
  const auto uw = read_power(chip.directory + "/" + std::string(sensor) + std::string(what), unread);
  if (!uw && unread == before) return;
  // Documentation/hwmon/acpi_power_meter.rst: its device is ACPI000D, the machine's own meter.
  PowerReading power{chip.name, chip.device, name_of(chip, sensor, unread), chip.name == "power_meter",
                     uw.value_or(0)};
  const auto same = [&](const PowerReading& other) { return meter_part(other) == meter_part(power); };
  if (std::ranges::any_of(out.powers, same)) power.sensor = chip.place + "/" + std::string(sensor);
  if (uw)
    out.powers.push_back(std::move(power));
  else if (power.platform)
    out.lacking.push_back({kMeterSource, meter_part(power), EnergyDomain::kMeter});
}

}  // namespace

EnergyReadings read_hwmon(const std::string& sysfs, std::uint64_t& unread) {
  const std::string root = sysfs + "/class/hwmon";
  EnergyReadings out;
  for (const std::string& place : names_in(root, kMostChips, unread)) {
    const auto chip = chip_at(root, place, unread);
    if (!chip) continue;
    std::string_view averaged;  // sorted: power1_average stands before power1_input
    const auto files = names_in(chip->directory, kMostFiles, unread);
    for (const std::string& file : files) {
      if (const auto energy = sensor_of(file, "energy", "_input"); !energy.empty())
        add_counter(*chip, energy, out, unread);
      if (const auto average = sensor_of(file, "power", "_average"); !average.empty()) {
        add_power(*chip, averaged = average, "_average", out, unread);
        continue;
      }
      const auto input = sensor_of(file, "power", "_input");
      if (!input.empty() && input != averaged) add_power(*chip, input, "_input", out, unread);
    }
  }
  return out;
}

}  // namespace flowtap::telemetry
