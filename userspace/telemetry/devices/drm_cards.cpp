#include "telemetry/devices/drm_cards.hpp"

#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/devices/printable_label.hpp"
#include "telemetry/energy/attribute.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kMostEntries = 4096;  // connectors of all cards included
constexpr std::size_t kMostSensors = 64;
constexpr double kMicro = 1e-6;
constexpr double kMilli = 1e-3;
constexpr std::uint64_t kMostMicrowatts = 100'000'000'000;
constexpr std::uint64_t kMostMillicelsius = 250'000;
constexpr std::uint64_t kMostHertz = 100'000'000'000;

using Name = std::pair<std::string_view, std::string_view>;  // the driver's and ours
// amdgpu: edge, junction, mem; xe: pkg, vram.
constexpr std::array<Name, 5> kTemperatures{
    {{"edge", "gpu"}, {"junction", "hotspot"}, {"mem", "memory"}, {"pkg", "gpu"}, {"vram", "memory"}}};
constexpr std::array<Name, 2> kClocks{{{"sclk", "graphics"}, {"mclk", "memory"}}};

// "card0", and not its connectors ("card0-DP-1").
bool is_card(std::string_view name) {
  constexpr std::string_view kCard = "card";
  return name.starts_with(kCard) && whole_number(name.substr(kCard.size()));
}

std::string target_of(const std::string& link) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(link, error);
  return error ? std::string() : printable_label(target.filename().string());
}

// What the sensor's label means: `other` where it has none, absent where it means nothing to us.
std::optional<std::string_view> place_of(const std::string& label_file, std::span<const Name> names,
                                         std::string_view other, std::uint64_t& unread) {
  const auto label = read_label(label_file, unread);
  if (!label) return other;
  for (const auto& [theirs, ours] : names)
    if (*label == theirs) return ours;
  return std::nullopt;
}

std::optional<std::uint64_t> read_up_to(const std::string& path, std::uint64_t most, std::uint64_t& unread) {
  const auto value = read_number(path, unread);
  if (!value || *value <= most) return value;
  ++unread;
  return std::nullopt;
}

void add_once(LabelledGauges& gauges, std::string_view which, double value) {
  for (const auto& gauge : gauges)
    if (gauge.which == which) return;
  gauges.push_back({which, value});
}

void read_power(const std::string& at, DeviceValues& out, std::uint64_t& unread) {
  auto uw = read_up_to(at + "/power1_average", kMostMicrowatts, unread);
  if (!uw) uw = read_up_to(at + "/power1_input", kMostMicrowatts, unread);
  if (uw) out.watts = static_cast<double>(*uw) * kMicro;
  // amdgpu has a cap, Intel's drivers a maximum.
  auto limit = read_up_to(at + "/power1_cap", kMostMicrowatts, unread);
  if (!limit) limit = read_up_to(at + "/power1_max", kMostMicrowatts, unread);
  if (limit && *limit > 0) out.limit_watts = static_cast<double>(*limit) * kMicro;
  out.energy_uj = read_number(at + "/energy1_input", unread);
}

}  // namespace

std::vector<DrmCard> drm_cards(const std::string& sysfs, std::string_view vendor, std::uint64_t& unread) {
  const std::string root = sysfs + "/class/drm";
  std::vector<DrmCard> cards;
  for (const std::string& name : names_in(root, kMostEntries, unread)) {
    if (!is_card(name)) continue;
    DrmCard card{.card = std::string(root).append("/").append(name),
                 .device = {},
                 .address = {},
                 .driver = {},
                 .model_id = {}};
    card.device = card.card + "/device";
    if (read_label(card.device + "/vendor", unread) != vendor) continue;
    card.address = target_of(card.device);
    card.driver = target_of(card.device + "/driver");
    card.model_id = read_label(card.device + "/device", unread).value_or("");
    if (card.address.empty()) card.address = name;
    cards.push_back(std::move(card));
  }
  return cards;
}

bool is_suspended(const DrmCard& card) {
  std::uint64_t unasked = 0;  // not every device has a state
  return read_label(card.device + "/power/runtime_status", unasked) == "suspended";
}

std::optional<double> read_percent(const std::string& path, std::uint64_t& unread) {
  constexpr std::uint64_t kAll = 100;
  const auto percent = read_up_to(path, kAll, unread);
  return percent ? std::optional(static_cast<double>(*percent) / double{kAll}) : std::nullopt;
}

void read_card_sensors(const DrmCard& card, DeviceValues& out, std::uint64_t& unread) {
  const std::string root = card.device + "/hwmon";
  const auto chips = names_in(root, kMostSensors, unread);
  if (chips.empty()) return;
  const std::string at = std::string(root).append("/").append(chips.front());
  read_power(at, out, unread);
  constexpr int kMost = 8;
  for (int i = 1; i <= kMost; ++i) {
    const std::string temperature = at + "/temp" + std::to_string(i);
    if (const auto value = read_up_to(temperature + "_input", kMostMillicelsius, unread))
      if (const auto place = place_of(temperature + "_label", kTemperatures, "gpu", unread))
        add_once(out.celsius, *place, static_cast<double>(*value) * kMilli);
    const std::string clock = at + "/freq" + std::to_string(i);
    if (const auto value = read_up_to(clock + "_input", kMostHertz, unread))
      if (const auto place = place_of(clock + "_label", kClocks, "graphics", unread))
        add_once(out.hertz, *place, static_cast<double>(*value));
  }
}

}  // namespace flowtap::telemetry
