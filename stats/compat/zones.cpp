#include "stats/compat/zones.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "stats/compat/rows.hpp"

namespace flowtap::stats::compat {
namespace {

constexpr std::string_view kPackage = "package-";
constexpr std::string_view kPsys = "psys";

struct Legacy {
  std::string_view zone;
  std::string_view name;
  std::string_view help;
};
constexpr std::array kLegacy{
    Legacy{"package", "kepler_node_package_joules_total", "Energy of the processor packages (RAPL)."},
    Legacy{"core", "kepler_node_core_joules_total", "Energy of the cores (RAPL), a part of the package's."},
    Legacy{"uncore", "kepler_node_uncore_joules_total",
           "Energy of the uncore (RAPL), a part of the package's."},
    Legacy{"dram", "kepler_node_dram_joules_total", "Energy of the memory (RAPL)."}};

std::uint64_t microjoules(const Series& series) {
  return static_cast<std::uint64_t>(std::llround(number(series.value) * 1e6));
}
double joules(std::uint64_t uj) {
  return static_cast<double>(uj) / 1e6;
}

}  // namespace

RaplZone rapl_zone(std::string_view part) {
  constexpr std::string_view kNumbered = "psys-";
  if (part == kPsys) return {.zone = kPsys, .socket = {}};
  if (part.starts_with(kNumbered)) return {.zone = kPsys, .socket = part.substr(kNumbered.size())};
  if (!part.starts_with(kPackage)) return {};
  part.remove_prefix(kPackage.size());
  const auto below = part.find('/');
  if (below == std::string_view::npos) return {.zone = "package", .socket = part};
  return {.zone = part.substr(below + 1), .socket = part.substr(0, below)};
}

void Zones::take(const Snapshot& snapshot) {
  ++round_;
  Energy node;
  std::uint64_t devices = 0;
  for (const Series& series : snapshot.series) {
    switch (series.stat->id) {
      case StatId::kNODE_ENERGY:
        node.all = microjoules(series);
        node_round_ = round_;
        break;
      case StatId::kNODE_ENERGY_DEVICES:
        devices = microjoules(series);
        break;
      case StatId::kNODE_ENERGY_ACTIVE:
        node.active = microjoules(series);
        break;
      case StatId::kNODE_ENERGY_IDLE:
        node.idle = microjoules(series);
        break;
      case StatId::kENERGY_PART: {
        const std::string_view name = label(series, "part");
        const auto [zone, socket] = rapl_zone(name);
        if (zone.empty() || label(series, "source") != "powercap") break;
        Part& part = parts_[std::string(name)];
        part.zone = zone;
        part.socket = socket;
        part.total = microjoules(series);
        part.round = round_;
        break;
      }
      default:
        break;
    }
  }
  // The joules of devices do not depend on CPU time.
  node.all -= std::min(devices, node.all);
  if (node_round_ == round_) divide(node);
}

void Zones::divide(const Energy& node) {
  if (node.all > node_.all) {
    const double busy =
        static_cast<double>(node.active - node_.active) / static_cast<double>(node.all - node_.all);
    for (auto& [name, part] : parts_) {
      if (part.round != round_) continue;
      part.active += static_cast<std::uint64_t>(static_cast<double>(part.total - part.divided) * busy);
      part.divided = part.total;
    }
  }
  node_ = node;
}

// A socket's zone that was not read this time stays in the sum. A zone that was not read for any socket is left out.
std::map<std::string, Zones::Energy> Zones::by_zone() const {
  std::map<std::string, Energy> all;
  for (const auto& [name, part] : parts_)
    if (part.round == round_) all.try_emplace(part.zone);
  for (const auto& [name, part] : parts_) {
    const auto at = all.find(part.zone);
    if (at == all.end()) continue;
    at->second.all += part.total;
    at->second.active += part.active;
    at->second.idle += part.divided - part.active;
  }
  if (node_round_ == round_) all.emplace(kNodeZone, node_);
  return all;
}

void Zones::append(const std::string& host, std::vector<Family>& out) const {
  Family all{
      .name = "kepler_node_cpu_joules_total",
      .help =
          "Energy by RAPL zone. The zone node is all that flowtapd counts. Zones overlap: do not add them.",
      .samples = {}};
  Family active{.name = "kepler_node_cpu_active_joules_total",
                .help = "The active part of it: the share of their time in which the CPUs were busy.",
                .samples = {}};
  Family idle{.name = "kepler_node_cpu_idle_joules_total", .help = "The rest of it.", .samples = {}};
  for (const auto& [zone, energy] : by_zone()) {
    LabelPairs labels{{"zone", zone}};
    if (!host.empty()) labels.emplace_back("node_name", host);
    all.samples.push_back({labels, joules(energy.all)});
    active.samples.push_back({labels, joules(energy.active)});
    idle.samples.push_back({labels, joules(energy.idle)});
  }
  for (Family* family : {&all, &active, &idle})
    if (!family->samples.empty()) out.push_back(std::move(*family));

  for (const Legacy& old : kLegacy) {
    Family family{.name = old.name, .help = old.help, .samples = {}};
    for (const auto& [name, part] : parts_) {
      if (part.zone != old.zone || part.round != round_) continue;
      for (const bool dynamic : {true, false}) {
        LabelPairs labels{{"package", part.socket}};
        if (!host.empty()) labels.emplace_back("instance", host);
        labels.emplace_back("mode", dynamic ? "dynamic" : "idle");
        family.samples.push_back(
            {std::move(labels), joules(dynamic ? part.active : part.divided - part.active)});
      }
    }
    if (!family.samples.empty()) out.push_back(std::move(family));
  }
}

}  // namespace flowtap::stats::compat
