#include "stats/compat/labels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/flows/sandbox_container.hpp"
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

// For a pod's container, `name` is the runtime's name for it, which is the id. A sandbox has no container: dashboards
// tell it from the containers of its pod in this way. Absent: cAdvisor has no such cgroup, or its path is not known.
std::optional<Builder> cgroup(const Series& series, const Surroundings& around) {
  const InstanceOfWorkload* instance = around.instance(series);
  Builder all(series);
  if (is_pods(series)) {
    // Without a sandbox, what a pod has as a whole is that of its cgroup.
    if (instance == nullptr && label(series, "container").empty()) instance = around.pod(series);
    if (label(series, "container") != kSandboxContainer) all.take("container", "container");
    all.take("namespace", "namespace").take("pod", "pod");
    if (instance != nullptr) all.set("name", instance->id);
  } else if (is_containers(series)) {
    all.take("name", "container");
  } else if (instance != nullptr) {
    all.take("namespace", "namespace").take("pod", "pod");
  } else {
    return std::nullopt;
  }
  if (instance != nullptr) all.set("id", instance->cgroup).set("image", instance->image);
  return all;
}

std::optional<LabelPairs> of_cgroup(LabelMap map, const Series& series, const Surroundings& around) {
  if (map == LabelMap::kCONTAINER_SCHEDSTAT && !is_containers(series)) return std::nullopt;
  if (map == LabelMap::kCONTAINER_WITH_QUOTA && !around.has_quota(series)) return std::nullopt;
  auto all = cgroup(series, around);
  if (!all) return std::nullopt;
  const auto faults = [&](std::string_view type, std::string_view scope) {
    return all->set("failure_type", type).set("scope", scope).pairs();
  };
  switch (map) {
    case LabelMap::kCONTAINER_CPU:
      return all->set("cpu", "total").pairs();
    case LabelMap::kCONTAINER_DEVICE:
      return all->set("device", "/dev/" + std::string(label(series, "device"))).pairs();
    case LabelMap::kCONTAINER_FAULTS:
      return faults("pgfault", "hierarchy");
    case LabelMap::kCONTAINER_OWN_FAULTS:
      return faults("pgfault", "container");
    case LabelMap::kCONTAINER_MAJOR_FAULTS:
      return faults("pgmajfault", "hierarchy");
    case LabelMap::kCONTAINER_OWN_MAJOR_FAULTS:
      return faults("pgmajfault", "container");
    case LabelMap::kCONTAINER_NETWORK:
      return all->take("interface", "interface").pairs();
    default:
      return all->pairs();
  }
}

// The other ends of containers' interfaces, and loopback, as cAdvisor leaves them out.
bool is_inner_interface(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kPrefixes{"lo", "veth", "docker", "nerdctl"};
  return std::ranges::any_of(kPrefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

std::optional<LabelPairs> of_root(LabelMap map, const Series& series, const Surroundings& around) {
  Builder all(series);
  all.set("id", "/");
  switch (map) {
    case LabelMap::kROOT:
      return all.pairs();
    case LabelMap::kROOT_NETWORK:
      if (is_inner_interface(label(series, "device"))) return std::nullopt;
      return all.take("interface", "device").pairs();
    case LabelMap::kROOT_FILESYSTEM:
      // Each tmpfs is a device of its own.
      if (label(series, "fstype") == "tmpfs") return all.take("device", "mountpoint").pairs();
      if (!around.is_first_mount(series)) return std::nullopt;
      return all.take("device", "device").pairs();
    case LabelMap::kCADVISOR_VERSION:
      return Builder(series).take("cadvisorVersion", "version").take("kernelVersion", "kernel").pairs();
    case LabelMap::kMACHINE:
      return around.machine();
    default:
      return std::nullopt;
  }
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

// systemd-machined's unit of a machine that libvirt runs: "machine-qemu\\x2d3\\x2dweb.scope" is "web", the third one. Where
// a name has characters that a unit's cannot have, they are written as "\\xHH". Empty: another unit.
std::string libvirt_machine(const Series& series) {
  constexpr std::string_view kBegin = "machine-qemu\\x2d";
  constexpr std::string_view kEnd = ".scope";
  std::string_view unit = label(series, "workload");
  if (label(series, "kind") != "unit" || !unit.starts_with(kBegin) || !unit.ends_with(kEnd)) return {};
  unit = unit.substr(kBegin.size(), unit.size() - kBegin.size() - kEnd.size());
  std::string name;
  while (!unit.empty()) {
    unsigned char byte = 0;
    const bool escaped = unit.size() >= 4 && unit.starts_with("\\x") &&
                         std::from_chars(unit.data() + 2, unit.data() + 4, byte, 16).ptr == unit.data() + 4;
    name += escaped ? static_cast<char>(byte) : unit.front();
    unit.remove_prefix(escaped ? 4 : 1);
  }
  const auto dash = name.find('-');
  if (name.find_first_not_of("0123456789") != dash || dash == 0) return {};
  return dash == std::string::npos ? std::string() : name.substr(dash + 1);
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
    case LabelMap::kKEPLER_VM: {
      const std::string vm = libvirt_machine(series);
      if (vm.empty()) return std::nullopt;
      return all.set("vm_name", vm)
          .set("hypervisor", "kvm")
          .set("state", kRunning)
          .set("zone", kNodeZone)
          .set("node_name", around.host())
          .pairs();
    }
    case LabelMap::kKEPLER_CPU:
      return all.take("processor", "cpu")
          .take("vendor_id", "vendor")
          .take("model_name", "model")
          .take("physical_id", "package")
          .take("core_id", "core")
          .set("node_name", around.host())
          .pairs();
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
  if (map >= LabelMap::kCONTAINER && map <= LabelMap::kCONTAINER_NETWORK)
    return of_cgroup(map, series, around);
  if (map >= LabelMap::kROOT && map <= LabelMap::kMACHINE) return of_root(map, series, around);
  const bool pods = is_pods(series);
  const bool containers = is_containers(series);
  const auto with_host = [&](Builder all) { return all.set("node_name", around.host()).pairs(); };
  switch (map) {
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
      if (!containers) return std::nullopt;
      return kepler_old_container(series, around).pairs();
    default:
      return of_node(map, series, around);
  }
}

}  // namespace flowtap::stats::compat
