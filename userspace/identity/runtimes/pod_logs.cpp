#include "identity/runtimes/pod_logs.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/ascii.hpp"

namespace flowtap::identity {
namespace {

// kubelet keeps at most a few files for a container, and rotates at most a few more.
constexpr std::size_t kMostLogFiles = 4096;
// Every container of the node, including dead ones that kubelet still keeps.
constexpr std::size_t kMostLinks = 65536;
constexpr std::size_t kLongestKubernetesName = 253;

bool is_kubernetes_name(std::string_view text) {
  const auto fits = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; };
  return !text.empty() && text.size() <= kLongestKubernetesName && text != "." && text != ".." &&
         std::ranges::all_of(text, fits);
}

bool is_uid(std::string_view text) {
  return text.size() <= 64 && is_kubernetes_name(text) && !text.contains('.');
}

// Absence is an answer: the directory comes and goes with the pod.
Result<std::vector<std::string>> names_if_there(const RootDir& root, const std::string& path,
                                                std::size_t most) {
  auto names = root.list(path, most);
  if (!names && (names.error().code == ENOENT || names.error().code == ENOTDIR))
    return std::vector<std::string>{};
  return names;
}

}  // namespace

std::optional<PodLogs> parse_pod_log_directory(std::string_view name) {
  const auto first = name.find('_');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = name.find('_', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view ns = name.substr(0, first);
  const std::string_view pod = name.substr(first + 1, second - first - 1);
  const std::string_view uid = name.substr(second + 1);
  if (!is_kubernetes_name(ns) || !is_kubernetes_name(pod) || !is_uid(uid)) return std::nullopt;
  return PodLogs{std::string(ns), std::string(pod), std::string(uid)};
}

bool is_static_pod_uid(std::string_view uid) {
  return uid.size() == 32 && std::ranges::all_of(uid, is_lower_hex);
}

std::optional<unsigned> restart_of_log_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.ends_with(".log")) return std::nullopt;
  name.remove_suffix(4);
  unsigned n = 0;
  const auto [end, ec] = std::from_chars(name.data(), name.data() + name.size(), n);
  // kubelet does not write "007.log".
  if (ec != std::errc{} || end != name.data() + name.size() || (name.size() > 1 && name[0] == '0'))
    return std::nullopt;
  return n;
}

Result<std::optional<NewestLog>> newest_log(const RootDir& root, const std::string& pod_directory,
                                            const std::string& container) {
  if (!is_file_name(container)) return fail("a container's name is not usable as a file name");
  const std::string directory = pod_directory + "/" + container;
  FTAP_TRY_ASSIGN(names, names_if_there(root, directory, kMostLogFiles));
  std::optional<NewestLog> newest;
  for (const std::string& name : names)
    if (const auto n = restart_of_log_file(name); n && (!newest || *n > newest->restart))
      newest = NewestLog{*n, joined({directory, name})};
  return newest;
}

std::optional<ContainerLink> parse_container_link(std::string_view name, std::string_view target) {
  if (!name.ends_with(".log")) return std::nullopt;
  name.remove_suffix(4);
  const auto dash = name.rfind('-');
  const auto first = name.find('_');
  if (dash == std::string_view::npos || first == std::string_view::npos) return std::nullopt;
  const auto second = name.find('_', first + 1);
  if (second == std::string_view::npos || dash < second) return std::nullopt;
  const std::string_view container = name.substr(second + 1, dash - second - 1);
  const std::string_view id = name.substr(dash + 1);
  if (!is_kubernetes_name(container) || !is_file_name(id)) return std::nullopt;

  // .../<ns>_<pod>_<uid>/<container>/N.log
  const auto n = restart_of_log_file(target);
  const auto file_at = target.rfind('/');
  if (!n || file_at == std::string_view::npos || file_at == 0) return std::nullopt;
  const auto container_at = target.rfind('/', file_at - 1);
  if (container_at == std::string_view::npos || container_at == 0) return std::nullopt;
  const auto pod_at = target.rfind('/', container_at - 1);
  if (pod_at == std::string_view::npos) return std::nullopt;
  auto pod = parse_pod_log_directory(target.substr(pod_at + 1, container_at - pod_at - 1));
  if (!pod || target.substr(container_at + 1, file_at - container_at - 1) != container ||
      pod->pod != name.substr(0, first) || pod->ns != name.substr(first + 1, second - first - 1))
    return std::nullopt;
  return ContainerLink{std::move(*pod), std::string(container), std::string(id), *n, std::string(target)};
}

Result<std::optional<ContainerLink>> find_container_link(const RootDir& root, const std::string& id) {
  FTAP_TRY(check_container_id(id));
  static const std::string kDirectory = "var/log/containers";
  FTAP_TRY_ASSIGN(names, names_if_there(root, kDirectory, kMostLinks));
  const std::string suffix = "-" + id + ".log";
  for (const std::string& name : names) {
    if (!name.ends_with(suffix)) continue;
    const auto target = root.link(joined({kDirectory, name}));
    if (!target) continue;  // it is gone by now, or is no link
    if (auto link = parse_container_link(name, *target); link && link->id == id) return link;
  }
  return std::nullopt;
}

}  // namespace flowtap::identity
