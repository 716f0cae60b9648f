#include "reporters.hpp"

#include <algorithm>
#include <array>

namespace flowtap::cli {
namespace {

struct Reporter {
  std::string_view component;  // is in the component's name
  std::string_view begins;     // how its messages begin; empty: they are not known
  std::string_view name;
};

constexpr std::array<Reporter, 6> kReporters = {{
    {"karpenter", "Failed to schedule pod, ", "Karpenter"},
    {"karpenter", "Could not schedule pod, ", "Karpenter"},
    {"karpenter", "Pod should schedule on: ", "Karpenter"},
    {"cluster-autoscaler", "pod didn't trigger scale-up", "the Cluster Autoscaler"},
    {"cluster-autoscaler", "pod triggered scale-up", "the Cluster Autoscaler"},
    {"autoscaler", "", "an autoscaler"},
}};

}  // namespace

std::string_view reporter_beside(std::string_view from, std::string_view message) {
  const auto* const found = std::ranges::find_if(kReporters, [&](const Reporter& one) {
    if (!from.empty()) return from.contains(one.component);
    return !one.begins.empty() && message.starts_with(one.begins);
  });
  return found == kReporters.end() ? std::string_view() : found->name;
}

}  // namespace flowtap::cli
