#include "stats/compat/labels.hpp"

#include <string_view>

namespace flowtap::stats::compat {
namespace {

/// The value of one of our labels; empty where the series has none of that name.
std::string_view ours(const Series& series, std::string_view key) {
  const std::string_view keys = family(series.stat->family).labels;
  for (std::size_t i = 0; i < series.labels.size(); ++i)
    if (label_key(keys, i) == key) return series.labels[i];
  return {};
}

class Builder {
 public:
  explicit Builder(const Series& series) : series_(series) {}
  Builder& take(std::string_view key, std::string_view from) { return set(key, ours(series_, from)); }
  Builder& set(std::string_view key, std::string_view value) {
    if (!value.empty()) pairs_.emplace_back(key, value);
    return *this;
  }
  [[nodiscard]] LabelPairs pairs() { return std::move(pairs_); }

 private:
  const Series& series_;
  LabelPairs pairs_;
};

LabelPairs as_is(const Series& series) {
  Builder all(series);
  const std::string_view keys = family(series.stat->family).labels;
  for (std::size_t i = 0; i < label_count(keys); ++i) all.take(label_key(keys, i), label_key(keys, i));
  return all.pairs();
}

bool is_pods(const Series& series) {
  return ours(series, "kind") == "pod";
}
bool is_containers(const Series& series) {
  return is_pods(series) || ours(series, "kind") == "container";
}

Builder container(const Series& series) {
  Builder all(series);
  if (is_pods(series))
    all.take("container", "container").take("namespace", "namespace").take("pod", "pod");
  else
    all.take("name", "container");
  return all;
}

std::optional<LabelPairs> nvidias(const Series& series) {
  if (ours(series, "vendor") != "nvidia") return std::nullopt;
  return Builder(series).take("UUID", "uuid").take("pci_bus_id", "device").pairs();
}

// Kepler tells running ones from those that have ended; ours stay for a while as they were.
constexpr std::string_view kRunning = "running";
constexpr std::string_view kNodeZone = "node";

}  // namespace

std::optional<LabelPairs> labels_of(LabelMap map, const Series& series) {
  Builder all(series);
  switch (map) {
    case LabelMap::kAS_IS:
      return as_is(series);
    case LabelMap::kCONTAINER:
      if (!is_containers(series)) return std::nullopt;
      return container(series).pairs();
    case LabelMap::kCONTAINER_CPU:
      if (!is_containers(series)) return std::nullopt;
      return container(series).set("cpu", "total").pairs();
    case LabelMap::kCONTAINER_NETWORK:
      if (!is_containers(series)) return std::nullopt;
      return container(series).take("interface", "interface").pairs();
    case LabelMap::kKEPLER_PART:
      return all.take("zone", "part").take("path", "source").pairs();
    case LabelMap::kKEPLER_NODE:
      return all.set("zone", kNodeZone).pairs();
    case LabelMap::kKEPLER_CONTAINER:
      if (!is_containers(series)) return std::nullopt;
      return all.take("container_name", "container")
          .take("pod_namespace", "namespace")
          .take("pod_name", "pod")
          .set("state", kRunning)
          .set("zone", kNodeZone)
          .pairs();
    case LabelMap::kKEPLER_POD:
      if (!is_pods(series)) return std::nullopt;
      return all.take("pod_namespace", "namespace")
          .take("pod_name", "pod")
          .set("state", kRunning)
          .set("zone", kNodeZone)
          .pairs();
    case LabelMap::kKEPLER_OLD_CONTAINER:
      if (!is_containers(series)) return std::nullopt;
      return all.take("container_namespace", "namespace")
          .take("container_name", "container")
          .take("pod_name", "pod")
          .set("mode", "dynamic")
          .pairs();
    case LabelMap::kKEPLER_OLD_SYSTEM:
      if (series.labels.size() > 0 && ours(series, "kind") != "unit") return std::nullopt;
      return all.set("container_namespace", "system")
          .set("container_name", "system_processes")
          .set("pod_name", "system_processes")
          .set("mode", "dynamic")
          .pairs();
    case LabelMap::kKEPLER_OLD_DYNAMIC:
      return all.set("mode", "dynamic").pairs();
    case LabelMap::kKEPLER_OLD_IDLE:
      return all.set("mode", "idle").pairs();
    case LabelMap::kKEPLER_GPU:
      return all.take("gpu_uuid", "uuid").take("gpu", "device").take("vendor", "vendor").pairs();
    case LabelMap::kKEPLER_GPU_CONTAINER:
      if (!is_containers(series)) return std::nullopt;
      return all.take("container_name", "container")
          .take("pod_namespace", "namespace")
          .take("pod_name", "pod")
          .take("gpu_uuid", "uuid")
          .take("gpu", "device")
          .take("instance", "instance")
          .set("state", kRunning)
          .pairs();
    case LabelMap::kDCGM:
      return nvidias(series);
    case LabelMap::kDCGM_GPU_SENSOR:
      return ours(series, "sensor") == "gpu" ? nvidias(series) : std::nullopt;
    case LabelMap::kDCGM_MEMORY_SENSOR:
      return ours(series, "sensor") == "memory" ? nvidias(series) : std::nullopt;
    case LabelMap::kDCGM_SM_CLOCK:
      return ours(series, "clock") == "sm" ? nvidias(series) : std::nullopt;
    case LabelMap::kDCGM_MEMORY_CLOCK:
      return ours(series, "clock") == "memory" ? nvidias(series) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace flowtap::stats::compat
