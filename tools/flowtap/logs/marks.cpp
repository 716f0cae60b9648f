#include "marks.hpp"

#include <array>
#include <cstdint>

#include "base/printable.hpp"

namespace flowtap::cli {
namespace {

// No black and no white, which may be the background, and no red, which means trouble.
constexpr std::array kColours = {"36", "33", "32", "35", "34", "96", "93", "92", "95", "94"};

// FNV-1a, so that a name has the same colour wherever and whenever it is shown.
const char* colour_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return kColours.at((hash ^ (hash >> 32U)) % kColours.size());
}

std::string pod_of(const api::FlowStatus& flow) {
  return flow.ns.value_or("") + "/" + flow.pod.value_or("");
}

}  // namespace

void Marks::know(const api::FlowStatus& flow) {
  namespaces_.insert(flow.ns.value_or(""));
  containers_[pod_of(flow)].insert(flow.container.value_or(""));
}

std::string Marks::of(const api::FlowStatus& flow, const Style& style) const {
  const std::string pod = pod_of(flow);
  const std::string container = printable(flow.container.value_or(""));
  if (one_pod_) return style.paint(colour_of(container), container);
  std::string text = printable(namespaces_.size() > 1 ? pod : flow.pod.value_or(""));
  const auto containers = containers_.find(pod);
  if (containers != containers_.end() && containers->second.size() > 1) text += " " + container;
  return style.paint(colour_of(pod), text);
}

}  // namespace flowtap::cli
