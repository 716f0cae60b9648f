#include "stats/compat/labels.hpp"

#include <string_view>

#include "stats/compat/zones.hpp"

namespace flowtap::stats::compat {
namespace {

class Builder {
 public:
  explicit Builder(const Series& series) : series_(series) {}
  Builder& take(std::string_view key, std::string_view from) { return set(key, label(series_, from)); }
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
  return label(series, "kind") == "pod";
}
bool is_containers(const Series& series) {
  return is_pods(series) || label(series, "kind") == "container";
}

// For a pod's container, `name` is the runtime's name for it, which is the id.
Builder container(const Series& series, const Surroundings& around) {
  const InstanceOfWorkload* const instance = around.instance(series);
  Builder all(series);
  if (is_pods(series)) {
    all.take("container", "container").take("namespace", "namespace").take("pod", "pod");
    if (instance != nullptr) all.set("name", instance->id);
  } else {
    all.take("name", "container");
  }
  if (instance != nullptr) all.set("id", instance->cgroup).set("image", instance->image);
  return all;
}

Builder faults(const Series& series, const Surroundings& around, std::string_view type) {
  return container(series, around).set("failure_type", type).set("scope", "hierarchy");
}

// The form that NVML uses: "00000000:3B:00.0".
std::string bus_id(std::string_view device) {
  std::string id = "0000" + std::string(device);
  for (char& c : id)
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  return id;
}

std::optional<LabelPairs> nvidias(const Series& series, const Surroundings& around) {
  if (label(series, "vendor") != "nvidia") return std::nullopt;
  constexpr std::string_view kNode = "nvidia";  // a device without a PCI address goes by its number
  const std::string_view device = label(series, "device");
  const CardOfDevice& card = around.card(series);
  Builder all(series);
  all.set("gpu", card.index).take("UUID", "uuid").set("device", card.node);
  if (!device.starts_with(kNode)) all.set("pci_bus_id", bus_id(device));
  all.set("modelName", card.model).set("hostname", around.host());
  if (const PodOnDevice* const user = around.pod_on(series))
    all.set("container", user->container).set("namespace", user->ns).set("pod", user->pod);
  return all.pairs();
}

// Kepler separates running containers from ended ones; our series of ended ones stay for a while as they were.
constexpr std::string_view kRunning = "running";

// The name that Go uses.
#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "arm64";
#else
constexpr std::string_view kArchitecture;
#endif

// Also for containers that have ended: without the label their sums would be other series.
Builder kepler_pod(const Series& series, const Surroundings& around) {
  Builder all(series);
  if (const InstanceOfWorkload* const known = around.last_instance(series)) all.set("pod_id", known->pod_uid);
  all.take("pod_name", "pod").take("pod_namespace", "namespace").set("state", kRunning);
  return all;
}
// Adds the pod's names, which Kepler's containers do not have.
Builder kepler_container(const Series& series, const Surroundings& around) {
  Builder all = kepler_pod(series, around);
  all.take("container_name", "container");
  if (const InstanceOfWorkload* const known = around.last_instance(series))
    all.set("container_id", known->id).set("runtime", known->runtime == "cri-o" ? "crio" : known->runtime);
  return all;
}

Builder kepler_old_container(const Series& series, const Surroundings& around) {
  Builder all(series);
  if (const InstanceOfWorkload* const known = around.last_instance(series))
    all.set("container_id", known->id);
  all.take("container_namespace", "namespace")
      .take("container_name", "container")
      .take("pod_name", "pod")
      .set("mode", "dynamic");
  return all;
}

std::optional<LabelPairs> of_device(LabelMap map, const Series& series, const Surroundings& around) {
  const auto one = [&](std::string_view key, std::string_view value) {
    return label(series, key) == value ? nvidias(series, around) : std::nullopt;
  };
  switch (map) {
    case LabelMap::kDCGM:
      return nvidias(series, around);
    case LabelMap::kDCGM_GPU_SENSOR:
      return one("sensor", "gpu");
    case LabelMap::kDCGM_MEMORY_SENSOR:
      return one("sensor", "memory");
    case LabelMap::kDCGM_SM_CLOCK:
      return one("clock", "sm");
    case LabelMap::kDCGM_MEMORY_CLOCK:
      return one("clock", "memory");
    default:
      return std::nullopt;
  }
}

// By the name of the zone, as in node_exporter: the index is the number after the name, or the package's number if
// there is none.
std::optional<LabelPairs> rapl(const Series& series, std::string_view zone) {
  const RaplZone which = rapl_zone(label(series, "part"));
  if (label(series, "source") != "powercap" || which.zone != zone) return std::nullopt;
  // In node_exporter, the zone of a die ("package-0-die-1") has its own name.
  if (which.socket.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return Builder(series)
      .set("index", which.socket.empty() ? "0" : which.socket)
      .set("path", "/sys/class/powercap/" + std::string(label(series, "place")))
      .pairs();
}

std::optional<LabelPairs> of_node(LabelMap map, const Series& series, const Surroundings& around) {
  Builder all(series);
  switch (map) {
    case LabelMap::kAS_IS:
      return as_is(series);
    case LabelMap::kNODE_BUILD:
      return all.set("goarch", kArchitecture).set("goos", "linux").take("version", "version").pairs();
    case LabelMap::kRAPL_PACKAGE:
      return rapl(series, "package");
    case LabelMap::kRAPL_CORE:
      return rapl(series, "core");
    case LabelMap::kRAPL_UNCORE:
      return rapl(series, "uncore");
    case LabelMap::kRAPL_DRAM:
      return rapl(series, "dram");
    case LabelMap::kRAPL_PSYS:
      return rapl(series, "psys");
    case LabelMap::kKEPLER_BUILD:
      return all.set("arch", kArchitecture).take("version", "version").pairs();
    case LabelMap::kKEPLER_GPU:
      return all.take("gpu", "device")
          .take("gpu_uuid", "uuid")
          .set("gpu_name", around.card(series).model)
          .take("vendor", "vendor")
          .set("node_name", around.host())
          .pairs();
    case LabelMap::kKEPLER_OLD_SYSTEM:
      if (!series.labels.empty() && label(series, "kind") != "unit") return std::nullopt;
      return all.set("container_namespace", "system")
          .set("container_name", "system_processes")
          .set("pod_name", "system_processes")
          .set("mode", "dynamic")
          .pairs();
    case LabelMap::kKEPLER_OLD_DYNAMIC:
      return all.set("instance", around.host()).set("mode", "dynamic").pairs();
    case LabelMap::kKEPLER_OLD_IDLE:
      return all.set("instance", around.host()).set("mode", "idle").pairs();
    default:
      return of_device(map, series, around);
  }
}

}  // namespace

std::optional<LabelPairs> labels_of(LabelMap map, const Series& series, const Surroundings& around) {
  const bool pods = is_pods(series);
  const bool containers = is_containers(series);
  const auto with_host = [&](Builder all) { return all.set("node_name", around.host()).pairs(); };
  const auto if_container = [&](Builder all) {
    return containers ? std::optional(all.pairs()) : std::nullopt;
  };
  switch (map) {
    case LabelMap::kCONTAINER:
      return if_container(container(series, around));
    case LabelMap::kCONTAINER_CPU:
      return if_container(container(series, around).set("cpu", "total"));
    case LabelMap::kCONTAINER_DEVICE:
      return if_container(
          container(series, around).set("device", "/dev/" + std::string(label(series, "device"))));
    case LabelMap::kCONTAINER_FAULTS:
      return if_container(faults(series, around, "pgfault"));
    case LabelMap::kCONTAINER_MAJOR_FAULTS:
      return if_container(faults(series, around, "pgmajfault"));
    case LabelMap::kCONTAINER_NETWORK:
      return if_container(container(series, around).take("interface", "interface"));
    case LabelMap::kKEPLER_CONTAINER:
      if (!containers) return std::nullopt;
      return with_host(kepler_container(series, around).set("zone", kNodeZone));
    case LabelMap::kKEPLER_CONTAINER_TIME:
    case LabelMap::kKEPLER_GPU_CONTAINER:
      if (!containers) return std::nullopt;
      return with_host(kepler_container(series, around));
    case LabelMap::kKEPLER_POD:
      if (!pods) return std::nullopt;
      return with_host(kepler_pod(series, around).set("zone", kNodeZone));
    case LabelMap::kKEPLER_GPU_POD:
      if (!pods) return std::nullopt;
      return with_host(kepler_pod(series, around));
    case LabelMap::kKEPLER_OLD_CONTAINER:
      return if_container(kepler_old_container(series, around));
    default:
      return of_node(map, series, around);
  }
}

}  // namespace flowtap::stats::compat
