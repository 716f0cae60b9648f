#include "kernel/topology.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/file.hpp"
#include "base/node/cpu_list.hpp"
#include "bpf/abi/cpu.h"

namespace flowtap::kernel {
namespace {

std::optional<unsigned> read_number(const std::string& path) {
  const auto text = read_line(path);
  if (!text) return std::nullopt;
  unsigned value = 0;
  const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (ec != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

Result<std::vector<unsigned>> read_list(const std::string& path) {
  FTAP_TRY_ASSIGN(text, read_line(path));
  return parse_cpu_list(text);
}

// The cache of the highest level that holds data: the last one before memory. Its lowest CPU is its name, because the
// `id` attribute is missing on some machines and is not unique across levels.
std::uint32_t llc_of(const std::string& cpu_dir) {
  unsigned best_level = 0;
  std::uint32_t llc = FTAP_PLACE_UNKNOWN;
  for (unsigned index = 0; index < 16; ++index) {
    const std::string dir = cpu_dir + "/cache/index" + std::to_string(index);
    const auto level = read_number(dir + "/level");
    if (!level) break;
    const auto type = read_line(dir + "/type");
    if (!type || *type == "Instruction" || *level <= best_level) continue;
    const auto shared = read_list(dir + "/shared_cpu_list");
    if (!shared || shared->empty()) continue;
    best_level = *level;
    llc = shared->front();
  }
  return llc;
}

void place_nodes(const std::string& node_dir, std::vector<CpuPlace>& places) {
  const auto nodes = read_list(node_dir + "/online");
  if (!nodes) {  // built without NUMA: one node holds everything
    for (CpuPlace& place : places) place.node = 0;
    return;
  }
  for (const unsigned node : *nodes) {
    const auto cpus = read_list(node_dir + "/node" + std::to_string(node) + "/cpulist");
    if (!cpus) continue;
    for (const unsigned cpu : *cpus)
      if (cpu < places.size()) places[cpu].node = node;
  }
}

}  // namespace

Result<std::string> read_online_list(const std::string& sysfs) {
  return read_line(sysfs + "/devices/system/cpu/online");
}

Result<Topology> read_topology(const std::string& sysfs) {
  const std::string cpu_dir = sysfs + "/devices/system/cpu";
  FTAP_TRY_ASSIGN(possible, read_list(cpu_dir + "/possible"));
  if (possible.empty()) return fail(cpu_dir + "/possible names no CPU");
  FTAP_TRY_ASSIGN(online_text, read_online_list(sysfs));
  FTAP_TRY_ASSIGN(online, parse_cpu_list(online_text));

  Topology topology;
  topology.places.assign(possible.back() + 1, CpuPlace{FTAP_PLACE_UNKNOWN, FTAP_PLACE_UNKNOWN});
  topology.possible = static_cast<unsigned>(possible.size());
  topology.online = static_cast<unsigned>(online.size());
  topology.online_list = std::move(online_text);
  for (const unsigned cpu : online)
    if (cpu < topology.places.size())
      topology.places[cpu].llc = llc_of(cpu_dir + "/cpu" + std::to_string(cpu));
  place_nodes(sysfs + "/devices/system/node", topology.places);
  return topology;
}

}  // namespace flowtap::kernel
