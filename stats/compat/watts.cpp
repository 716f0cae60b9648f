#include "stats/compat/watts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "stats/compat/rows.hpp"

namespace flowtap::stats::compat {
namespace {

constexpr std::chrono::seconds kInterval{5};

struct Rate {
  std::string_view name;
  std::string_view of;
};
constexpr std::array kRates{Rate{"kepler_node_cpu_watts", "kepler_node_cpu_joules_total"},
                            Rate{"kepler_node_cpu_active_watts", "kepler_node_cpu_active_joules_total"},
                            Rate{"kepler_node_cpu_idle_watts", "kepler_node_cpu_idle_joules_total"},
                            Rate{"kepler_container_cpu_watts", "kepler_container_cpu_joules_total"},
                            Rate{"kepler_pod_cpu_watts", "kepler_pod_cpu_joules_total"},
                            Rate{"kepler_vm_cpu_watts", "kepler_vm_cpu_joules_total"},
                            Rate{"kepler_container_gpu_watts", "kepler_container_gpu_joules_total"},
                            Rate{"kepler_pod_gpu_watts", "kepler_pod_gpu_joules_total"}};

}  // namespace

// A little less than an interval counts as one, since each reading is a little late or early.
bool Watts::due(Time read) const {
  constexpr std::chrono::milliseconds kEarly{500};
  return !since_ || read - *since_ >= kInterval - kEarly;
}

void Watts::take(const Snapshot& snapshot, const std::vector<Family>& joules, Time read) {
  const double seconds = since_ ? std::chrono::duration<double>(read - *since_).count() : 0;
  since_ = read;
  take_usage(snapshot);
  Joules now;
  watts_.clear();
  for (const Rate& rate : kRates) {
    const auto of = std::ranges::find(joules, rate.of, &Family::name);
    if (of == joules.end()) continue;
    Family watts{.name = rate.name,
                 .help = "Joules per second, by the counter of that name, over the last 5 s.",
                 .kind = Kind::kGauge,
                 .samples = {}};
    for (const Sample& sample : of->samples) {
      const auto before = joules_.find({rate.of, sample.labels});
      if (before != joules_.end() && sample.value >= before->second && seconds > 0)
        watts.samples.push_back({sample.labels, (sample.value - before->second) / seconds});
      now.emplace(std::pair(rate.of, sample.labels), sample.value);
    }
    if (!watts.samples.empty()) watts_.push_back(std::move(watts));
  }
  joules_ = std::move(now);
}

void Watts::take_usage(const Snapshot& snapshot) {
  CpuTime now;
  for (const Series& series : snapshot.series) {
    if (series.stat->id != StatId::kNODE_CPU) continue;
    const std::string_view mode = label(series, "mode");
    ++now.series;
    now.all += number(series.value);
    if (mode == "idle" || mode == "iowait") now.idle += number(series.value);
  }
  usage_.reset();
  const double all = now.all - cpu_.all;
  // If a CPU was added or removed, the earlier sums belong to other CPUs.
  if (cpu_.series > 0 && now.series == cpu_.series && all > 0)
    usage_ = std::clamp(1 - (now.idle - cpu_.idle) / all, 0.0, 1.0);
  cpu_ = now;
}

void Watts::append(const std::string& host, std::vector<Family>& out) const {
  out.insert(out.end(), watts_.begin(), watts_.end());
  if (!usage_) return;
  LabelPairs labels;
  if (!host.empty()) labels.emplace_back("node_name", host);
  out.push_back({.name = "kepler_node_cpu_usage_ratio",
                 .help = "Share of the last 5 s in which the CPUs were busy.",
                 .kind = Kind::kGauge,
                 .samples = {{std::move(labels), *usage_}}});
}

}  // namespace flowtap::stats::compat
