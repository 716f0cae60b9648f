#include "stats/compat/machine.hpp"

#include <set>
#include <string>
#include <utility>

namespace flowtap::stats::compat {

void append_machine(const Snapshot& snapshot, const LabelPairs& machine, std::vector<Family>& out) {
  std::size_t logical = 0;
  bool placed = true;
  std::set<std::string> sockets;
  std::set<std::pair<std::string, std::string>> cores;
  for (const Series& series : snapshot.series) {
    if (series.stat->id != StatId::kNODE_PROCESSOR) continue;
    ++logical;
    std::string socket(label(series, "package"));
    std::string core(label(series, "core"));
    placed = placed && !socket.empty() && !core.empty();
    sockets.insert(socket);
    cores.emplace(std::move(socket), std::move(core));
  }
  const auto add = [&](std::string_view name, std::string_view help, std::size_t count) {
    out.push_back({.name = name,
                   .help = help,
                   .kind = Kind::kGauge,
                   .samples = {{.labels = machine, .value = static_cast<double>(count)}}});
  };
  if (logical == 0) return;
  add("machine_cpu_cores", "Logical CPUs that are online.", logical);
  if (!placed) return;
  add("machine_cpu_physical_cores", "Cores of the processors that are online.", cores.size());
  add("machine_cpu_sockets", "Processor packages that are online.", sockets.size());
}

}  // namespace flowtap::stats::compat
