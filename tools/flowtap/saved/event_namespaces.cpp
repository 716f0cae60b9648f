#include "event_namespaces.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "kube_columns.hpp"
#include "stream/lines/flow_key.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kProvisionsFor = R"(External provisioner is provisioning volume for claim ")";

bool is_in_name(char c) {
  return is_alphanumeric(c) || c == '-' || c == '.' || c == '/';
}

bool is_uid(std::string_view text) {
  constexpr std::size_t kLength = 36;
  return text.size() == kLength &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

// As kubelet names the row's pod: "Back-off restarting failed container app in pod web-0_shop(3f1c2a50-…)".
std::string_view namespace_of_kubelet(std::string_view message, std::string_view pod) {
  const std::string own = std::string(" in pod ").append(pod).append(1, '_');
  const std::size_t at = message.rfind(own);
  if (at == std::string_view::npos) return {};
  const std::string_view named = message.substr(at + own.size());
  const std::size_t bracket = std::min(named.find('('), named.size());
  const std::string_view behind = named.substr(bracket);
  const bool is_it = flow::is_dns_label(named.substr(0, bracket)) && behind.ends_with(')') &&
                     is_uid(behind.substr(1, behind.size() - 2));
  return is_it ? named.substr(0, bracket) : std::string_view();
}

// "External provisioner is provisioning volume for claim "shop/data"", of that claim.
std::string_view namespace_of_claim(std::string_view message, std::string_view claim) {
  if (!message.starts_with(kProvisionsFor)) return {};
  message.remove_prefix(kProvisionsFor.size());
  const auto named = pod_name(message.substr(0, message.find('"')));
  return named && named->name == claim && flow::is_dns_label(named->ns) ? named->ns : std::string_view();
}

// "Pod ml/web-0 can possibly be assigned to node-1". The words of other messages may be of anything: of an image, of a label.
std::string_view namespace_of_volcano(std::string_view message, std::string_view pod) {
  KubeColumns words(message);
  if (words.word() != "Pod") return {};
  const std::string_view named = words.word();
  const std::string_view ns = namespace_in(named, pod);
  return ns.size() + 1 + pod.size() == named.size() ? ns : std::string_view();
}

}  // namespace

std::optional<PodName> pod_in(std::string_view message) {
  KubeColumns words(message);
  if (words.begins_with({"Successfully", "assigned"})) {
    words.word();
    words.word();
  } else if (words.begins_with({"skip", "schedule", "deleting", "pod:"})) {
    for (int i = 0; i < 4; ++i) words.word();
  } else {
    return std::nullopt;
  }
  const auto named = pod_name(words.word());
  if (!named || !flow::is_dns_label(named->ns) || !flow::is_dns_subdomain(named->name)) return std::nullopt;
  return named;
}

std::string_view namespace_in(std::string_view message, std::string_view pod) {
  if (message.contains(" nodes are available: ")) return {};
  const std::string own = std::string(1, '/').append(pod);
  for (std::size_t at = message.find(own); at != std::string_view::npos; at = message.find(own, at + 1)) {
    const std::string_view behind = message.substr(at + own.size());
    const bool goes_on = !behind.empty() && (behind.front() == '.' ? behind.size() > 1 && behind[1] != ' '
                                                                   : is_in_name(behind.front()));
    if (goes_on) continue;
    std::size_t begin = at;
    while (begin > 0 && is_in_name(message[begin - 1])) --begin;
    const std::string_view ns = message.substr(begin, at - begin);
    if (flow::is_dns_label(ns)) return ns;
  }
  return {};
}

std::string_view namespace_told(const NamingRow& row) {
  if (row.kind == "persistentvolumeclaim" || row.kind == "PersistentVolumeClaim")
    return namespace_of_claim(row.message, row.name);
  if (!is_pod(row.kind)) return {};
  if (row.reason == "BackOff") return namespace_of_kubelet(row.message, row.name);
  if (row.reason != kScheduled && row.reason != kFailedScheduling) return {};
  if (const auto named = pod_in(row.message)) return named->name == row.name ? named->ns : std::string_view();
  return row.reason == kFailedScheduling ? namespace_of_volcano(row.message, row.name) : std::string_view();
}

void EventNamespaces::note(std::string_view ns) {
  if (names_.size() >= kMost && !names_.contains(table_)) return;
  const auto [known, is_new] = names_.try_emplace(table_, ns);
  if (!is_new && known->second != ns) known->second.clear();
}

std::string_view EventNamespaces::of(std::uint64_t table) const {
  const auto known = names_.find(table);
  return known != names_.end() ? std::string_view(known->second) : std::string_view();
}

}  // namespace flowtap::cli
