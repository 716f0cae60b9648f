#include "identity/cgroup_path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"
#include "identity/root_dir.hpp"

namespace flowtap::identity {
namespace {

constexpr std::size_t kIdLength = 64;
constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kHashLength = 32;  // a static pod's

bool is_container_id(std::string_view text) {
  return text.size() == kIdLength && std::ranges::all_of(text, is_lower_hex);
}

// systemd separates slices by `-`, so kubelet writes a uid with `_` there.
std::optional<std::string> pod_uid(std::string_view text) {
  std::string uid(text);
  std::ranges::replace(uid, '_', '-');
  if (uid.size() == kHashLength && std::ranges::all_of(uid, is_lower_hex)) return uid;
  if (uid.size() != kUuidLength) return std::nullopt;
  for (std::size_t i = 0; i < uid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? uid[i] != '-' : !is_lower_hex(uid[i])) return std::nullopt;
  }
  return uid;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

struct Pod {
  std::string uid;
  Qos qos = Qos::kNone;
};

Qos qos_of(std::string_view name) {
  if (name.ends_with("besteffort")) return Qos::kBestEffort;
  if (name.ends_with("burstable")) return Qos::kBurstable;
  return name.ends_with("kubepods") ? Qos::kGuaranteed : Qos::kNone;
}

// "kubepods-burstable-pod<uid>.slice", whatever slices stand before it, or "pod<uid>" below `parent`.
std::optional<Pod> pod_of(std::string_view name, std::string_view parent) {
  if (take_suffix(name, ".slice")) {
    const auto at = name.rfind("-pod");
    if (at == std::string_view::npos) return std::nullopt;
    auto uid = pod_uid(name.substr(at + 4));
    if (!uid) return std::nullopt;
    return Pod{std::move(*uid), qos_of(name.substr(0, at))};
  }
  if (!take_prefix(name, "pod")) return std::nullopt;
  auto uid = pod_uid(name);
  if (!uid) return std::nullopt;
  return Pod{std::move(*uid), qos_of(parent)};
}

constexpr std::array<std::pair<std::string_view, Runtime>, 5> kPrefixes = {{
    {"cri-containerd", Runtime::kContainerd},
    {"nerdctl", Runtime::kContainerd},
    {"crio", Runtime::kCrio},
    {"docker", Runtime::kDocker},
    {"libpod", Runtime::kPodman},
}};

// A cgroupfs runc that is given a systemd path takes it as one name: "<slice>:<prefix>:<id>".
std::optional<CgroupContainer> colon_container(std::string_view name) {
  const auto first = name.find(':');
  const auto second = name.find(':', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || !is_container_id(name.substr(second + 1))) return std::nullopt;
  CgroupContainer container{.id = std::string(name.substr(second + 1)), .runtime = {}, .pod_uid = {}};
  const std::string_view prefix = name.substr(first + 1, second - first - 1);
  for (const auto& [known, runtime] : kPrefixes)
    if (prefix == known) container.runtime = runtime;
  if (auto pod = pod_of(name.substr(0, first), {})) {
    container.pod_uid = std::move(pod->uid);
    container.qos = pod->qos;
  }
  return container;
}

std::optional<CgroupContainer> container_of(std::string_view name, std::string_view parent) {
  if (auto container = colon_container(name)) return container;
  (void)take_suffix(name, ".scope");
  for (const auto& [prefix, runtime] : kPrefixes)
    if (name.size() == prefix.size() + 1 + kIdLength && name.starts_with(prefix) &&
        name[prefix.size()] == '-' && is_container_id(name.substr(prefix.size() + 1)))
      return CgroupContainer{std::string(name.substr(prefix.size() + 1)), runtime, {}, Qos::kNone};
  // podman's pods below its own parent have ids of the same form.
  if (!is_container_id(name) || parent == "libpod_parent") return std::nullopt;
  CgroupContainer container{.id = std::string(name), .runtime = {}, .pod_uid = {}};
  if (parent == "docker") container.runtime = Runtime::kDocker;
  return container;
}

// containerd's own client under cgroupfs: "/NAMESPACE/ID" at the top, with an id of any form.
std::optional<CgroupContainer> client_container(std::string_view name, std::string_view parent) {
  if ((parent != "default" && parent != "k8s.io") || !is_file_name(name)) return std::nullopt;
  return CgroupContainer{std::string(name), Runtime::kContainerd, {}, Qos::kNone};
}

bool is_unit(std::string_view name) {
  return name.ends_with(".service") || name.ends_with(".scope");
}

bool is_user_manager(std::string_view unit) {
  return unit.starts_with("user@") && unit.ends_with(".service");
}

// Whether this cgroup's processes may make cgroups of any name below it, although it is not the node's root.
bool gives_its_tree_away(std::string_view name) {
  return is_user_manager(name) || (name.starts_with("systemd-nspawn@") && name.ends_with(".service")) ||
         (name.starts_with("machine-") && name.ends_with(".scope")) || name.starts_with("lxc.payload.");
}

class Descent {
 public:
  void step(std::string_view name) {
    auto pod = pod_of(name, parent_);
    auto container = pod ? std::nullopt : container_of(name, parent_);
    if (!pod && !container && ++depth_ == 2) container = client_container(name, parent_);
    if (pod) {
      pod_ = std::move(pod);
    } else if (container) {
      if (pod_ && !container->pod_uid) {
        container->pod_uid = std::move(pod_->uid);
        container->qos = pod_->qos;
      }
      pod_.reset();
      if (place_.containers.size() == CgroupPlace::kDeepest) place_.containers.pop_back();
      place_.containers.push_back(std::move(*container));
    } else if (place_.containers.empty()) {
      unit(name);
    }
    parent_ = name;
  }

  [[nodiscard]] CgroupPlace place() && { return std::move(place_); }

 private:
  void unit(std::string_view name) {
    const bool boundary = gives_its_tree_away(name);
    if (!place_.unit && (boundary || is_unit(name))) {
      place_.unit = std::string(name);
      place_.boundary = boundary;
    } else if (place_.unit && !place_.user_unit && is_user_manager(*place_.unit) && is_unit(name)) {
      place_.user_unit = std::string(name);
    }
  }

  CgroupPlace place_;
  std::optional<Pod> pod_;
  std::string_view parent_;
  unsigned depth_ = 0;  // how many names were of neither kind so far
};

}  // namespace

CgroupPlace parse_cgroup_path(std::string_view path) {
  Descent descent;
  while (!path.empty()) {
    const auto end = path.find('/');
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (!name.empty() && name != "." && name != "..") descent.step(name);
  }
  return std::move(descent).place();
}

std::optional<std::string> pod_uid_of_cgroup(std::string_view path) {
  auto pod = pod_of(path.substr(path.rfind('/') + 1), {});
  if (!pod) return std::nullopt;
  return std::move(pod->uid);
}

}  // namespace flowtap::identity
