#include "stream/lines/flow_key.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace flowtap::flow {
namespace {

using Kind = KlogPair::Kind;

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// "resync" and a time, or any other word with at least as many digits behind it as seconds since 1970 have.
bool is_other_flow(std::string_view name) {
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(name, is_lower) - name.begin());
  if (!is_dns_label(name) || !all_digits(name.substr(digits))) return false;
  return name.substr(0, digits) == "resync" || (digits >= 3 && name.size() - digits >= 10);
}

// NUMA zones have such names, and the records about a node's zones have "node/node-0" where a pod's have "ns/name".
bool is_zone(std::string_view name) {
  return name.starts_with("node-") && all_digits(name.substr(5));
}

std::optional<FlowKey> pod(std::string_view ns, std::string_view name) {
  if (!is_dns_label(ns) || !is_dns_subdomain(name)) return std::nullopt;
  if (ns == kOtherFlows && is_other_flow(name)) return std::nullopt;
  return FlowKey{ns, name};
}

std::optional<FlowKey> pod(std::string_view ns_and_name) {
  const std::size_t slash = ns_and_name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return pod(ns_and_name.substr(0, slash), ns_and_name.substr(slash + 1));
}

std::optional<FlowKey> log_id(std::string_view value) {
  const std::size_t slash = value.find('/');
  if (slash == std::string_view::npos)
    return is_other_flow(value) ? std::optional(FlowKey{kOtherFlows, value}) : std::nullopt;
  const std::size_t second = value.find('/', slash + 1);
  if (second == std::string_view::npos) return is_zone(value.substr(slash + 1)) ? std::nullopt : pod(value);
  return is_dns_label(value.substr(second + 1)) ? pod(value.substr(0, second)) : std::nullopt;
}

}  // namespace

bool is_dns_label(std::string_view name) {
  if (name.empty() || name.size() > 63 || name.front() == '-' || name.back() == '-') return false;
  return std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view name) {
  if (name.size() > 253) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    // A subdomain's label has no bound of its own.
    if (label.empty() || label.front() == '-' || label.back() == '-') return false;
    if (!std::ranges::all_of(label, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
      return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

FlowKeys::FlowKeys() : FlowKeys({"logID", "pod", "object", "podName", "pod name"}) {}

FlowKeys::FlowKeys(const std::vector<std::string>& names) : keys_(std::min(names.size(), kMostKeys)) {
  for (std::size_t i = 0; i < keys_; ++i) {
    const bool is_pod = names[i] == "pod" || names[i] == "podName" || names[i] == "pod name";
    slots_.push_back({names[i],
                      is_pod                 ? Role::kPod
                      : names[i] == "object" ? Role::kObject
                                             : Role::kLogId,
                      {}});
  }
  for (std::size_t i = 0; i < keys_; ++i) {
    std::vector<std::size_t> found;
    if (slots_[i].name == "pod") found = {beside("namespace"), beside("namespaces")};
    if (slots_[i].name == "podName") found = {beside("podNamespace")};
    if (slots_[i].name == "pod name") found = {beside("pod namespace")};
    slots_[i].beside = std::move(found);
  }
  kind_ = beside("kind");
  for (const Slot& slot : slots_)
    if (!slot.name.empty()) first_[static_cast<unsigned char>(slot.name.front())] = true;
}

std::size_t FlowKeys::beside(std::string_view name) {
  const std::size_t at = slot_of(name);
  if (at == slots_.size()) slots_.push_back({std::string(name), Role::kBeside, {}});
  return at;
}

std::size_t FlowKeys::slot_of(std::string_view key) const {
  std::size_t at = 0;
  while (at < slots_.size() && slots_[at].name != key) ++at;
  return at;
}

FlowKeys::Found FlowKeys::find(const KlogRecord& record, bool line_open) const {
  Found found;
  if (!record.structured) return found;
  Values values;
  std::uint32_t seen = 0;
  KlogPairs pairs(record, line_open);
  for (KlogPair pair; pairs.next(pair);) {
    if (pair.may_be_more(record.form)) break;
    if (pair.key.empty() || !first_[static_cast<unsigned char>(pair.key.front())]) continue;
    const std::size_t slot = slot_of(pair.key);
    if (slot == slots_.size()) continue;
    values[slot] = {pair.value.data(), pair.value.size(), pair.kind};
    seen |= std::uint32_t{1} << slot;
  }
  found.cut = pairs.cut();
  for (std::size_t slot = 0; slot < keys_ && !found.key; ++slot)
    if ((seen >> slot & 1U) != 0) found.key = flow_of(slot, values, seen);
  return found;
}

std::optional<FlowKey> FlowKeys::flow_of(std::size_t slot, const Values& values, std::uint32_t seen) const {
  const Value& value = values[slot];
  const Slot& key = slots_[slot];
  const std::string_view text = value.view();
  if (key.role == Role::kObject && (seen >> kind_ & 1U) != 0 && values[kind_].view() != "Pod")
    return std::nullopt;
  if (value.kind == Kind::kJson)
    if (const auto object = klog_object({.key = {}, .kind = value.kind, .value = text}))
      return pod(object->ns, object->name);
  if (!value.is_string()) return std::nullopt;
  if (key.role == Role::kLogId) return log_id(text);
  if (text.find('/') != std::string_view::npos) return pod(text);
  for (const std::size_t ns : key.beside)
    if ((seen >> ns & 1U) != 0 && values[ns].is_string()) return pod(values[ns].view(), text);
  return std::nullopt;
}

}  // namespace flowtap::flow
