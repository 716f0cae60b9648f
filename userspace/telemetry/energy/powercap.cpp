#include "telemetry/energy/powercap.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "telemetry/energy/attribute.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kMostZones = 256;
constexpr std::string_view kPowercap = "powercap";
constexpr std::string_view kMsr = "intel-rapl:";

// "intel-rapl:0:1" is zone 1 in zone 0 of "intel-rapl"; empty for a control type, which is no zone.
std::string_view parent_of(std::string_view zone) {
  const auto colon = zone.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : zone.substr(0, colon);
}

bool is_zone(std::string_view name) {
  return name.contains(':');
}

// The names that drivers/powercap/intel_rapl_common.c gives: "package-0", "package-0-die-1", "psys", "psys-1".
EnergyDomain domain_of(std::string_view name, bool topmost) {
  if (name == "psys" || name.starts_with("psys-")) return EnergyDomain::kPlatform;
  if (topmost && name.starts_with("package-")) return EnergyDomain::kPackage;
  if (name == "dram" && !topmost) return EnergyDomain::kMemory;
  return EnergyDomain::kOther;
}

struct Counter {
  std::uint64_t value;
  std::uint64_t range;
};

// Also absent for a zone that counts nothing. The range is read first: if a zone goes meanwhile there is then no value,
// and not a value without a range, which would look like a counter that never wraps.
std::optional<Counter> read_counter(const std::string& directory, std::uint64_t& unread) {
  const std::uint64_t before = unread;
  const auto range = read_number(directory + "/max_energy_range_uj", unread);
  if (unread != before) return std::nullopt;
  const auto uj = read_number(directory + "/energy_uj", unread);
  if (!uj) return std::nullopt;
  if (range.value_or(0) != 0 && *uj > *range) {
    ++unread;
    return std::nullopt;
  }
  return Counter{*uj, range.value_or(0)};
}

}  // namespace

EnergyReadings read_powercap(const std::string& sysfs, std::uint64_t& unread) {
  const std::string root = sysfs + "/class/powercap";
  EnergyReadings all;
  std::map<std::string, std::string, std::less<>>
      parts;  // by zone; a parent's name sorts before its children's
  for (const std::string& place : names_in(root, kMostZones, unread)) {
    if (!is_zone(place)) continue;
    const std::string directory = std::string(root).append("/").append(place);
    const auto name = read_label(directory + "/name", unread);
    if (!name) continue;
    const std::string_view parent = parent_of(place);
    const bool topmost = !is_zone(parent);
    const EnergyDomain domain = domain_of(*name, topmost);
    const auto above = parts.find(parent);
    const bool alone = topmost || domain == EnergyDomain::kPlatform;
    // Without its parent's name "core" could belong to any package.
    if (!alone && above == parts.end()) continue;
    const std::string& part = parts[place] = alone ? *name : above->second + "/" + *name;

    const std::uint64_t before = unread;
    const auto uj = read_counter(directory, unread);
    if (uj)
      all.counters.push_back({kPowercap, part, place, domain, uj->value, uj->range});
    else if (unread != before)
      all.lacking.push_back({kPowercap, part, domain});
  }
  std::ranges::stable_partition(all.counters,
                                [](const EnergyReading& zone) { return zone.place.starts_with(kMsr); });
  return all;
}

}  // namespace flowtap::telemetry
