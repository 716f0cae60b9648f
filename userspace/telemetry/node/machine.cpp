#include "telemetry/node/machine.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/file.hpp"
#include "base/node/kernel_release.hpp"
#include "base/node/on_host.hpp"
#include "base/printable.hpp"
#include "base/trimmed.hpp"
#include "telemetry/collecting/fields.hpp"
#include "telemetry/collecting/kernel_file.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

struct Key {
  std::string_view key;
  std::string Processor::* to;
};
constexpr std::array kKeys{Key{"vendor_id", &Processor::vendor}, Key{"CPU implementer", &Processor::vendor},
                           Key{"model name", &Processor::model}, Key{"physical id", &Processor::package},
                           Key{"core id", &Processor::core}};

constexpr std::size_t kLongestValue = 256;

constexpr std::string_view kAround = " \t\r";

// The first of the files that is there; empty: none is.
std::string first_of(const std::string& host_root, std::initializer_list<const char*> paths) {
  for (const char* path : paths)
    if (const auto line = read_line(on_host(host_root, path)); line && !line->empty())
      return printable(std::string_view(*line).substr(0, kLongestValue));
  return {};
}

}  // namespace

std::vector<Processor> parse_cpuinfo(std::string_view text) {
  std::vector<Processor> all;
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon), kAround);
    const std::string_view value = trimmed(line.substr(colon + 1), kAround).substr(0, kLongestValue);
    // Where that line has no number, it has a model (32-bit arm).
    if (key == "processor" && whole_number(value)) {
      if (all.size() == kMostProcessors) break;
      if (!seen.insert(std::string(value)).second) continue;
      all.push_back({.cpu = std::string(value), .vendor = {}, .model = {}, .package = {}, .core = {}});
      continue;
    }
    const auto known = std::ranges::find(kKeys, key, &Key::key);
    if (known == kKeys.end() || all.empty()) continue;
    std::string& to = all.back().*known->to;
    if (to.empty()) to = printable(value);
  }
  return all;
}

void MachineCollector::read_processors(const std::string& online, Collected& out) {
  const auto text = read_kernel_file(on_host(host_root_, "/proc/cpuinfo"), out);
  if (!text) return;
  processors_.clear();
  for (Processor& processor : parse_cpuinfo(*text)) {
    const std::string place =
        on_host(host_root_, "/sys/devices/system/cpu/cpu" + processor.cpu + "/topology/");
    for (const auto& [to, file] :
         {std::pair(&processor.package, "physical_package_id"), std::pair(&processor.core, "core_id")})
      if (to->empty())
        if (const auto line = read_line(place + file); line && whole_number(*line)) *to = *line;
    processors_.push_back({&stats::stat(StatId::kNODE_PROCESSOR),
                           {std::move(processor.cpu), std::move(processor.vendor), std::move(processor.model),
                            std::move(processor.package), std::move(processor.core)},
                           std::uint64_t{1}});
  }
  online_ = online;
}

void MachineCollector::read_ids() {
  machine_ = {first_of(host_root_, {"/etc/machine-id", "/var/lib/dbus/machine-id"}),
              first_of(host_root_, {"/sys/class/dmi/id/product_uuid"}), first_of(host_root_, {kBootIdFile})};
}

void MachineCollector::collect(Collected& out) {
  const auto online = read_line(on_host(host_root_, "/sys/devices/system/cpu/online"));
  const std::string now = online ? *online : std::string();
  if (processors_.empty() || now != online_) read_processors(now, out);
  out.series.insert(out.series.end(), processors_.begin(), processors_.end());
  if (!ids_) return;
  if (!std::exchange(read_, true)) read_ids();
  out.series.push_back({&stats::stat(StatId::kNODE_MACHINE), machine_, std::uint64_t{1}});
}

}  // namespace flowtap::telemetry
