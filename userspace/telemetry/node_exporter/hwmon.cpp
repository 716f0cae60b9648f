// Sensors of /sys/class/hwmon (Documentation/hwmon/sysfs-interface.rst), whose files name what they measure.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/ascii.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr std::array<std::string_view, 13> kSensorTypes{
    "vrm",  "beep_enable", "update_interval", "in",     "cpu",      "fan",      "pwm",
    "temp", "curr",        "power",           "energy", "humidity", "intrusion"};

struct SensorFile {
  std::string_view type;
  std::string number;
  std::string_view element;  ///< "input", "max_alarm"; empty for a file without one
};

// "temp1_max_alarm": temp, 1, max_alarm. Absent: it is no sensor's.
std::optional<SensorFile> parse_sensor_file(std::string_view name) {
  const auto digits = std::min(name.find_first_of("0123456789"), name.size());
  const std::string_view type = name.substr(0, digits);
  if (std::ranges::find(kSensorTypes, type) == kSensorTypes.end()) return std::nullopt;
  const auto end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  std::string_view number = name.substr(digits, end - digits);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  const std::string_view rest = name.substr(end);
  if (!rest.empty() && (rest.size() < 2 || rest.front() != '_')) return std::nullopt;
  return SensorFile{type, number.empty() ? "0" : std::string(number),
                    rest.empty() ? std::string_view() : rest.substr(1)};
}

// Lower case; whatever cannot be in a name becomes '_', but not at the ends.
std::string clean(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const char lower = to_lower(c);
    name += is_alphanumeric(lower) || lower == ':' ? lower : '_';
  }
  name.erase(name.find_last_not_of('_') + 1);
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

// A chip goes by where it is: numbers of hwmonN depend on the order in which drivers were loaded.
std::string chip_name(const std::string& folder, const std::optional<std::string>& told) {
  std::error_code failed;
  const auto device = std::filesystem::canonical(folder + "device", failed);
  if (!failed) {
    const std::string name = clean(device.filename().native());
    const std::string bus = clean(device.parent_path().filename().native());
    if (!name.empty()) return bus.empty() ? name : bus + '_' + name;
  }
  if (told && !clean(*told).empty()) return clean(*told);
  const auto place = std::filesystem::canonical(folder, failed);
  return failed ? std::string() : clean(place.filename().native());
}

struct Sensor {
  std::string_view type;
  std::map<std::string, std::string> elements;
};
using Sensors = std::map<std::string, Sensor>;  // by type and number

void take_sensors(Source& from, const std::string& folder, Sensors& out) {
  for (const std::string& name : from.names(folder)) {
    const auto file = parse_sensor_file(name);
    if (!file) continue;
    auto text = from.line(folder + name);
    if (!text) continue;
    Sensor& sensor = out[std::string(file->type) + file->number];
    sensor.type = *std::ranges::find(kSensorTypes, file->type);
    sensor.elements.insert_or_assign(std::string(file->element), std::move(*text));
  }
}

struct Unit {
  std::string_view suffix;
  double scale = 1;
  PageKind kind = PageKind::kGauge;
};

// The units that the kernel documents: millivolts, millidegrees, microwatts.
Unit unit_of(std::string_view type, std::string_view element) {
  if (element == "fault" || element == "alarm") return {""};
  if (element == "beep") return {"_enabled"};
  if (type == "in" || type == "cpu") return {"_volts", 1e-3};
  if (type == "temp" && element != "type") return {"_celsius", 1e-3};
  if (type == "curr") return {"_amps", 1e-3};
  if (type == "energy") return {"_joule_total", 1e-6, PageKind::kCounter};
  if (type == "power" && element == "accuracy") return {"", 1e-6};
  if (type == "power" && element.starts_with("average_interval")) return {"_seconds", 1e-3};
  if (type == "power") return {"_watt", 1e-6};
  if (type == "humidity") return {"", 1e-6};
  const bool turns = element == "input" || element == "min" || element == "max" || element == "target";
  if (type == "fan" && turns) return {"_rpm"};
  return {""};
}

void add_sensor(const std::string& chip, const std::string& name, const Sensor& sensor, Page& out) {
  const LabelPairs labels{{"chip", chip}, {"sensor", name}};
  const auto add = [&](const std::string& family, const std::string& text, const Unit& unit,
                       const LabelPairs& which) {
    if (const auto value = number_in(text))
      out.add(family, unit.kind, "A sensor of /sys/class/hwmon, by chip.", which, *value * unit.scale);
  };
  const auto plain = sensor.elements.find("");
  const auto label = sensor.elements.find("label");
  if (label != sensor.elements.end())
    out.add("node_hwmon_sensor_label", PageKind::kGauge, "The name that the driver gives to a sensor.",
            {{"chip", chip}, {"label", label->second}, {"sensor", name}}, 1);
  if (sensor.type == "beep_enable" || sensor.type == "vrm" || sensor.type == "update_interval") {
    if (plain == sensor.elements.end()) return;
    if (sensor.type == "beep_enable")
      out.add("node_hwmon_beep_enabled", PageKind::kGauge, "Whether the chip may beep.", labels,
              plain->second == "1" ? 1 : 0);
    else if (sensor.type == "vrm")
      add("node_hwmon_voltage_regulator_version", plain->second, {}, labels);
    else
      add("node_hwmon_update_interval_seconds", plain->second, {"", 1e-3}, labels);
    return;
  }
  for (const auto& [element, text] : sensor.elements) {
    if (element == "label") continue;
    std::string family = "node_hwmon_" + std::string(sensor.type);
    if (element == "input") {
      if (plain != sensor.elements.end()) family += "_input";
    } else if (!element.empty()) {
      family += '_' + clean(element);
    }
    const Unit unit = unit_of(sensor.type, element);
    add(family + std::string(unit.suffix), text, unit, labels);
  }
}

}  // namespace

Found read_hwmon(Source& from, Page& out) {
  const std::string all = from.sys("/class/hwmon/");
  if (!Source::is_there(all)) return Found::kNothing;
  for (const std::string& name : from.names(all)) {
    const std::string folder = all + name + '/';
    if (!Source::is_there(folder)) continue;
    const auto told = from.line(folder + "name");
    const std::string chip = chip_name(folder, told);
    if (chip.empty()) {
      from.fail();
      continue;
    }
    if (told && !clean(*told).empty())
      out.add("node_hwmon_chip_names", PageKind::kGauge, "The name that the driver gives to a chip.",
              {{"chip", chip}, {"chip_name", clean(*told)}}, 1);
    Sensors sensors;
    take_sensors(from, folder, sensors);
    if (Source::is_there(folder + "device/")) take_sensors(from, folder + "device/", sensors);
    for (const auto& [sensor, of] : sensors) add_sensor(chip, sensor, of, out);
  }
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
