// Zones and coolers of /sys/class/thermal (Documentation/driver-api/thermal/sysfs-api.rst).
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr double kMillidegrees = 1000;

}  // namespace

Found read_thermal_zone(Source& from, Page& out) {
  constexpr std::string_view kZone = "thermal_zone";
  constexpr std::string_view kCooler = "cooling_device";
  const std::string all = from.sys("/class/thermal/");
  for (const std::string& name : from.names(all)) {
    const std::string folder = all + name + '/';
    if (name.starts_with(kZone)) {
      const std::string zone = number_after(kZone, name);
      const auto type = from.line(folder + "type");
      const auto temperature = from.number(folder + "temp");  // a sensor that is off has none
      if (!zone.empty() && type && temperature)
        out.add("node_thermal_zone_temp", PageKind::kGauge, "Temperature of the zone in degrees Celsius.",
                {{"type", *type}, {"zone", zone}}, *temperature / kMillidegrees);
    } else if (name.starts_with(kCooler)) {
      const std::string cooler = number_after(kCooler, name);
      const auto type = from.line(folder + "type");
      if (cooler.empty() || !type) continue;
      const LabelPairs labels{{"name", cooler}, {"type", *type}};
      if (const auto state = from.number(folder + "cur_state"))
        out.add("node_cooling_device_cur_state", PageKind::kGauge, "How much the cooler cools.", labels,
                *state);
      if (const auto most = from.number(folder + "max_state"))
        out.add("node_cooling_device_max_state", PageKind::kGauge, "The most that the cooler can do.", labels,
                *most);
    }
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
