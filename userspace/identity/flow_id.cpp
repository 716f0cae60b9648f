#include "identity/flow_id.hpp"

#include <cstddef>

#include "base/flows/flow_run.hpp"
#include "base/flows/sandbox_container.hpp"
#include "base/percent.hpp"

namespace flowtap::identity {
namespace {

// A name that only looks like the id of a run must not be taken for one.
std::string without_run(std::string component) {
  if (ends_in_run(component)) component.replace(component.rfind('@'), 1, percent_encoded("@", {}));
  return component;
}

// An id with its `-` escaped, too: then the last `-` of a component ends the name before it.
std::string id_component(std::string_view id) {
  return without_run(percent_encoded(id, "._:@"));
}

std::string short_id(std::string_view id) {
  return id_component(id.substr(0, kShortId));
}

}  // namespace

std::string flow_component(std::string_view text) {
  return percent_encoded(text, "._:@-");
}

std::string flow_id(const ContainerIdentity& c) {
  if (c.ns && c.pod && c.pod_uid && (c.container_name || c.sandbox)) {
    const std::string name = c.sandbox ? std::string(kSandboxContainer) : flow_component(*c.container_name);
    const std::string n = c.restart ? std::to_string(*c.restart) : "id-" + short_id(c.container_id);
    return "pod/" + flow_component(*c.ns) + "/" + flow_component(*c.pod) + "/" + flow_component(*c.pod_uid) +
           "/" + name + "/" + n;
  }
  if (c.container_name)
    return "container/" + flow_component(*c.container_name) + "-" + short_id(c.container_id);
  return "container/" + id_component(c.container_id);
}

std::string unit_flow_id(std::string_view unit) {
  return "unit/" + flow_component(unit);
}

std::string process_flow_id(pid_t pid, std::uint64_t start) {
  return "proc/" + std::to_string(pid) + "-" + std::to_string(start);
}

std::string file_flow_id(std::string_view path) {
  return "file" + percent_encoded(path, "/._:@-");
}

std::string inner_flow_id(std::string_view outer, std::string_view inner) {
  return std::string(outer) + "/" + without_run(flow_component(inner));
}

std::optional<std::vector<std::string>> flow_id_components(std::string_view id) {
  std::vector<std::string> components;
  while (true) {
    const auto end = id.find('/');
    auto component = percent_decoded(id.substr(0, end));
    if (!component) return std::nullopt;
    components.push_back(std::move(*component));
    if (end == std::string_view::npos) return components;
    id.remove_prefix(end + 1);
  }
}

}  // namespace flowtap::identity
