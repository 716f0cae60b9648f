#include "identity/runtimes/bundle.hpp"

#include <utility>
#include <vector>

#include "identity/cgroup_path.hpp"
#include "identity/runtimes/json.hpp"
#include "identity/runtimes/pod_logs.hpp"

namespace flowtap::identity {
namespace {

namespace json = boost::json;

// The pod's uid as it stands in the path of the cgroup.
std::optional<std::string> uid_in(const std::optional<std::string>& cgroups_path) {
  if (!cgroups_path) return std::nullopt;
  const auto place = parse_cgroup_path(*cgroups_path);
  return place.containers.empty() ? std::nullopt : place.containers.back().pod_uid;
}

void take_containerd(Bundle& bundle, const json::object& annotations) {
  ContainerIdentity& who = bundle.who;
  who.runtime = Runtime::kContainerd;
  const auto type = text_member(annotations, "io.kubernetes.cri.container-type");
  if (!type) {
    who.container_name = text_member(annotations, "nerdctl/name");
    return;
  }
  who.sandbox = *type == "sandbox";
  who.format = LogFormat::kCri;
  who.ns = text_member(annotations, "io.kubernetes.cri.sandbox-namespace");
  who.pod = text_member(annotations, "io.kubernetes.cri.sandbox-name");
  who.pod_uid = text_member(annotations, "io.kubernetes.cri.sandbox-uid");
  if (!who.pod_uid) who.pod_uid = uid_in(bundle.cgroups_path);  // before containerd 1.6
  bundle.sandbox_id = text_member(annotations, "io.kubernetes.cri.sandbox-id");
  if (who.sandbox) {
    bundle.log_directory = text_member(annotations, "io.kubernetes.cri.sandbox-log-directory");
    who.image = text_member(annotations, "io.kubernetes.cri.podsandbox.image-name");
  } else {
    who.container_name = text_member(annotations, "io.kubernetes.cri.container-name");
    who.image = text_member(annotations, "io.kubernetes.cri.image-name");
  }
}

// CRI-O's name for a container: k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT; none of them may hold a `_`.
void take_crio_name(ContainerIdentity& who, std::string_view name) {
  std::vector<std::string> parts;
  while (parts.size() < 7) {
    const auto end = name.find('_');
    parts.emplace_back(name.substr(0, end));
    if (end == std::string_view::npos) break;
    name.remove_prefix(end + 1);
  }
  if (parts.size() != 6 || parts[0] != "k8s") return;
  if (!who.container_name) who.container_name = parts[1];
  if (!who.pod) who.pod = parts[2];
  if (!who.ns) who.ns = parts[3];
  if (!who.pod_uid) who.pod_uid = parts[4];
}

std::optional<unsigned> attempt_in(const json::object& metadata) {
  const auto* value = member(metadata, "attempt");
  if (value == nullptr || !value->is_number()) return std::nullopt;
  json::error_code error;
  const auto attempt = value->to_number<unsigned>(error);
  return error ? std::nullopt : std::optional(attempt);
}

void take_crio(Bundle& bundle, const json::object& annotations) {
  ContainerIdentity& who = bundle.who;
  who.runtime = Runtime::kCrio;
  who.format = LogFormat::kCri;
  who.sandbox = text_member(annotations, "io.kubernetes.cri-o.ContainerType") == "sandbox";
  who.tty = who.tty || text_member(annotations, "io.kubernetes.cri-o.TTY") == "true";
  who.image = text_member(annotations, "io.kubernetes.cri-o.Image");
  who.log_path = text_member(annotations, "io.kubernetes.cri-o.LogPath");
  bundle.sandbox_id = text_member(annotations, "io.kubernetes.cri-o.SandboxID");
  const auto metadata = embedded_object(annotations, "io.kubernetes.cri-o.Metadata");
  if (who.sandbox) {
    who.ns = text_member(metadata, "namespace");
    who.pod = text_member(metadata, "name");
    who.pod_uid = text_member(metadata, "uid");
    return;
  }
  // Only kubelet sets a container's labels; a sandbox's contain what the pod's author wrote.
  const auto labels = embedded_object(annotations, "io.kubernetes.cri-o.Labels");
  who.container_name = text_member(labels, "io.kubernetes.container.name");
  who.ns = text_member(labels, "io.kubernetes.pod.namespace");
  who.pod = text_member(labels, "io.kubernetes.pod.name");
  who.pod_uid = text_member(labels, "io.kubernetes.pod.uid");
  if (!who.container_name) who.container_name = text_member(metadata, "name");
  if (const auto name = text_member(annotations, "io.kubernetes.cri-o.Name")) take_crio_name(who, *name);
  if (who.log_path) who.restart = restart_of_log_file(*who.log_path);
  if (!who.restart) who.restart = attempt_in(metadata);
}

std::optional<StoredName> stored_name(const json::object& entry) {
  // podman keeps the name twice: in the list and, together with the image's, as text in `metadata`.
  const auto metadata = embedded_object(entry, "metadata");
  StoredName stored{text_member(metadata, "name"), text_member(metadata, "image-name")};
  const auto* names = member(entry, "names");
  const auto* list = names != nullptr ? names->if_array() : nullptr;
  if (list != nullptr && !list->empty())
    if (const auto* first = list->front().if_string(); first != nullptr && first->size() <= kLongestText)
      stored.name = std::string(first->data(), first->size());
  return stored;
}

}  // namespace

Result<Bundle> parse_oci_config(std::string_view text, BundleKind kind, const std::string& id) {
  FTAP_TRY_ASSIGN(config, parse_json_object(text, "config.json"));
  Bundle bundle;
  bundle.who.container_id = id;
  bundle.who.tty = bool_member(object_member(config, "process"), "terminal");
  bundle.cgroups_path = text_member(object_member(config, "linux"), "cgroupsPath");
  const json::object& annotations = object_member(config, "annotations");
  if (kind == BundleKind::kContainerd)
    take_containerd(bundle, annotations);
  else if (text_member(annotations, "io.container.manager") == "libpod")
    bundle.who.runtime = Runtime::kPodman;
  else if (text_member(annotations, "io.kubernetes.cri-o.ContainerID") == id)
    take_crio(bundle, annotations);
  else
    return fail("config.json of " + id + " is neither podman's nor CRI-O's");
  return bundle;
}

Result<Bundle> parse_docker_config(std::string_view text, std::string_view hosttext, const std::string& id) {
  FTAP_TRY_ASSIGN(config, parse_json_object(text, "config.v2.json"));
  if (text_member(config, "ID") != id) return fail("config.v2.json of " + id + " is another container's");
  json::object hostconfig;
  if (auto parsed = parse_json_object(hosttext, "hostconfig.json")) hostconfig = std::move(*parsed);

  Bundle bundle;
  ContainerIdentity& who = bundle.who;
  who.runtime = Runtime::kDocker;
  who.container_id = id;
  const json::object& wanted = object_member(config, "Config");
  who.tty = bool_member(wanted, "Tty");
  who.image = text_member(wanted, "Image");
  who.container_name = text_member(config, "Name");
  if (who.container_name && who.container_name->starts_with('/')) who.container_name->erase(0, 1);
  if (text_member(object_member(hostconfig, "LogConfig"), "Type") == "json-file") {
    who.format = LogFormat::kDockerJson;
    who.log_path = text_member(config, "LogPath");
  }

  bundle.cgroups_path = text_member(hostconfig, "CgroupParent");
  const json::object& labels = object_member(wanted, "Labels");
  auto uid = text_member(labels, "io.kubernetes.pod.uid");
  if (!uid || !bundle.cgroups_path || uid != pod_uid_of_cgroup(*bundle.cgroups_path)) return bundle;
  who.pod_uid = std::move(uid);
  who.ns = text_member(labels, "io.kubernetes.pod.namespace");
  who.pod = text_member(labels, "io.kubernetes.pod.name");
  who.container_name = text_member(labels, "io.kubernetes.container.name");
  who.sandbox = text_member(labels, "io.kubernetes.docker.type") == "podsandbox";
  if (const auto path = text_member(labels, "io.kubernetes.container.logpath"))
    who.restart = restart_of_log_file(*path);
  return bundle;
}

Result<std::optional<StoredName>> find_stored_name(std::string_view text, std::string_view id) {
  FTAP_TRY_ASSIGN(value, parse_json(text, "containers.json"));
  const auto* list = value.if_array();
  if (list == nullptr) return fail("containers.json is not a list");
  for (const auto& item : *list)
    if (const auto* entry = item.if_object(); entry != nullptr && text_member(*entry, "id") == id)
      return stored_name(*entry);
  return std::nullopt;
}

}  // namespace flowtap::identity
