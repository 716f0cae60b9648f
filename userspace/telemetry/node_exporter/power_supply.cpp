// Batteries and mains of /sys/class/power_supply (Documentation/ABI/testing/sysfs-class-power).
#include <array>

#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

struct SupplyAttribute {
  std::string_view file;
  std::string_view name = {};  ///< empty: the file's
};

constexpr std::array kPlain{
    SupplyAttribute{"authentic"},
    SupplyAttribute{"calibrate"},
    SupplyAttribute{"capacity"},
    SupplyAttribute{"capacity_alert_max"},
    SupplyAttribute{"capacity_alert_min"},
    SupplyAttribute{"cycle_count", "cyclecount"},
    SupplyAttribute{"online"},
    SupplyAttribute{"present"},
    SupplyAttribute{"time_to_empty_now", "time_to_empty_seconds"},
    SupplyAttribute{"time_to_full_now", "time_to_full_seconds"},
};
constexpr std::array kMillionths{
    SupplyAttribute{"current_boot"},
    SupplyAttribute{"current_max"},
    SupplyAttribute{"current_now", "current_ampere"},
    SupplyAttribute{"energy_empty"},
    SupplyAttribute{"energy_empty_design"},
    SupplyAttribute{"energy_full"},
    SupplyAttribute{"energy_full_design"},
    SupplyAttribute{"energy_now", "energy_watthour"},
    SupplyAttribute{"voltage_boot"},
    SupplyAttribute{"voltage_max"},
    SupplyAttribute{"voltage_max_design"},
    SupplyAttribute{"voltage_min"},
    SupplyAttribute{"voltage_min_design"},
    SupplyAttribute{"voltage_now", "voltage_volt"},
    SupplyAttribute{"voltage_ocv"},
    SupplyAttribute{"charge_control_limit"},
    SupplyAttribute{"charge_control_limit_max"},
    SupplyAttribute{"charge_counter"},
    SupplyAttribute{"charge_empty"},
    SupplyAttribute{"charge_empty_design"},
    SupplyAttribute{"charge_full"},
    SupplyAttribute{"charge_full_design"},
    SupplyAttribute{"charge_now", "charge_ampere"},
    SupplyAttribute{"charge_term_current"},
    SupplyAttribute{"constant_charge_current"},
    SupplyAttribute{"constant_charge_current_max"},
    SupplyAttribute{"constant_charge_voltage"},
    SupplyAttribute{"constant_charge_voltage_max"},
    SupplyAttribute{"precharge_current"},
    SupplyAttribute{"input_current_limit"},
    SupplyAttribute{"power_now", "power_watt"},
};
constexpr std::array kTenths{
    SupplyAttribute{"temp", "temp_celsius"},
    SupplyAttribute{"temp_alert_max", "temp_alert_max_celsius"},
    SupplyAttribute{"temp_alert_min", "temp_alert_min_celsius"},
    SupplyAttribute{"temp_ambient", "temp_ambient_celsius"},
    SupplyAttribute{"temp_ambient_max", "temp_ambient_max_celsius"},
    SupplyAttribute{"temp_ambient_min", "temp_ambient_min_celsius"},
    SupplyAttribute{"temp_max", "temp_max_celsius"},
    SupplyAttribute{"temp_min", "temp_min_celsius"},
};
constexpr std::array<std::string_view, 11> kTexts{
    "capacity_level", "charge_type", "health",     "manufacturer", "model_name", "scope",
    "serial_number",  "status",      "technology", "type",         "usb_type"};

}  // namespace

Found read_power_supply(Source& from, Page& out) {
  const std::string all = from.sys("/class/power_supply/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const std::string& supply : from.names(all)) {
    const std::string folder = all + supply + '/';
    const auto add = [&](std::span<const SupplyAttribute> attributes, double divisor) {
      for (const SupplyAttribute& attribute : attributes)
        if (const auto value = from.number(folder + std::string(attribute.file)))
          out.add(
              "node_power_supply_" + std::string(attribute.name.empty() ? attribute.file : attribute.name),
              PageKind::kGauge,
              "From /sys/class/power_supply/<power_supply>/" + std::string(attribute.file) + ".",
              {{"power_supply", supply}}, *value / divisor);
    };
    add(kPlain, 1);
    add(kMillionths, 1e6);
    add(kTenths, 10);
    LabelPairs labels;
    for (const std::string_view text : kTexts)
      if (auto value = from.line(folder + std::string(text)); value && !value->empty())
        labels.emplace_back(text, std::move(*value));
    labels.emplace_back("power_supply", supply);
    out.add("node_power_supply_info", PageKind::kGauge, "What is text in /sys/class/power_supply.",
            std::move(labels), 1);
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
