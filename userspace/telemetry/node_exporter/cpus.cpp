// Frequencies and throttling of CPUs.
#include <array>
#include <map>

#include "base/ascii.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

constexpr std::string_view kCpuFolder = "/devices/system/cpu/";
constexpr double kKilohertz = 1000;

struct FrequencyFile {
  std::string_view file;
  std::string_view name;
};
// Documentation/admin-guide/pm/cpufreq.rst
constexpr std::array kFrequencyFiles{
    FrequencyFile{"cpuinfo_cur_freq", "node_cpu_frequency_hertz"},
    FrequencyFile{"cpuinfo_min_freq", "node_cpu_frequency_min_hertz"},
    FrequencyFile{"cpuinfo_max_freq", "node_cpu_frequency_max_hertz"},
    FrequencyFile{"scaling_cur_freq", "node_cpu_scaling_frequency_hertz"},
    FrequencyFile{"scaling_min_freq", "node_cpu_scaling_frequency_min_hertz"},
    FrequencyFile{"scaling_max_freq", "node_cpu_scaling_frequency_max_hertz"}};

template <typename Take>
void for_each_cpu(Source& from, Take take) {
  for (const std::string& name : from.names(from.sys(kCpuFolder), "cpu"))
    if (name.size() > 3 && is_digit(name[3])) take(name.substr(3), from.sys(kCpuFolder) + name + '/');
}

}  // namespace

Found read_cpufreq(Source& from, Page& out) {
  for_each_cpu(from, [&](const std::string& cpu, const std::string& folder) {
    for (const FrequencyFile& file : kFrequencyFiles)
      if (const auto frequency = from.number(folder + "cpufreq/" + std::string(file.file)))
        out.add(file.name, PageKind::kGauge, "From cpufreq/" + std::string(file.file) + ".", {{"cpu", cpu}},
                *frequency * kKilohertz);
  });
  return Found::kSomething;
}

// All threads of a core tell the same count, and all cores of a package the same one of the package.
Found read_cpu_throttles(Source& from, Page& out) {
  std::map<std::string, double> packages;
  std::map<std::pair<std::string, std::string>, double> cores;
  for_each_cpu(from, [&](const std::string&, const std::string& folder) {
    const auto package = from.line(folder + "topology/physical_package_id");
    const auto core = from.line(folder + "topology/core_id");
    if (!package || !core) return;
    const std::string counts = folder + "thermal_throttle/";
    if (!cores.contains({*package, *core}))
      if (const auto count = from.number(counts + "core_throttle_count"))
        cores.emplace(std::pair(*package, *core), *count);
    if (!packages.contains(*package))
      if (const auto count = from.number(counts + "package_throttle_count"))
        packages.emplace(*package, *count);
  });
  for (const auto& [which, count] : cores)
    out.add("node_cpu_core_throttles_total", PageKind::kCounter, "Times that the core was throttled by heat.",
            {{"core", which.second}, {"package", which.first}}, count);
  for (const auto& [package, count] : packages)
    out.add("node_cpu_package_throttles_total", PageKind::kCounter,
            "Times that the package was throttled by heat.", {{"package", package}}, count);
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
