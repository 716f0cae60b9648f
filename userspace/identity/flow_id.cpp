#include "identity/flow_id.hpp"

#include <cstddef>

#include "base/percent.hpp"

namespace flowtap::identity {
namespace {

// An id with its `-` escaped, too: then the last `-` of a component ends the name before it.
std::string id_component(std::string_view id) {
  return percent_encoded(id, "._:@");
}

std::string short_id(std::string_view id) {
  return id_component(id.substr(0, kShortId));
}

int hex_digit(char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";  // no small letters: each id has one form
  const auto at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

std::string flow_component(std::string_view text) {
  return percent_encoded(text, "._:@-");
}

std::string flow_id(const ContainerIdentity& c) {
  if (c.ns && c.pod && c.pod_uid && (c.container_name || c.sandbox)) {
    const std::string name = c.sandbox ? "POD" : flow_component(*c.container_name);
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
  return std::string(outer) + "/" + flow_component(inner);
}

std::optional<std::vector<std::string>> flow_id_components(std::string_view id) {
  std::vector<std::string> components;
  while (true) {
    const auto end = id.find('/');
    auto component = unescape(id.substr(0, end));
    if (!component) return std::nullopt;
    components.push_back(std::move(*component));
    if (end == std::string_view::npos) return components;
    id.remove_prefix(end + 1);
  }
}

}  // namespace flowtap::identity
