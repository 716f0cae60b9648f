#include "telemetry/workloads/workload_name.hpp"

#include <algorithm>
#include <utility>

namespace flowtap::telemetry {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kDrawn = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::size_t kSuffix = 5;  // in the name of a controller's pod
// A ReplicaSet's hash: the decimal digits of 32 bits, drawn from kDrawn.
constexpr std::size_t kHashLeast = 6;
constexpr std::size_t kHashMost = 10;
// A CronJob's run: minutes since 1970.
constexpr std::size_t kMinutes = 8;

bool only(std::string_view text, std::string_view of) {
  return !text.empty() && text.find_first_not_of(of) == std::string_view::npos;
}

// What stands before the last dash, and what behind it.
std::pair<std::string_view, std::string_view> split(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return {name, {}};
  return {name.substr(0, dash), name.substr(dash + 1)};
}

}  // namespace

std::string_view kind_name(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kPod:
      return "pod";
    case WorkloadKind::kContainer:
      return "container";
    case WorkloadKind::kUnit:
      return "unit";
    case WorkloadKind::kHost:
      return "host";
    case WorkloadKind::kUnknown:
      return "unknown";
    case WorkloadKind::kOuter:
      return stats::kOuterKind;
  }
  return {};
}

std::vector<std::string> WorkloadName::labels() const {
  return {std::string(kind_name(kind)), ns, pod, container, workload};
}

std::string_view controller_of(std::string_view pod) {
  const auto [rest, last] = split(pod);
  if (last.empty()) return {};
  if (only(last, kDigits)) return rest;
  if (last.size() != kSuffix || !only(last, kDrawn)) return {};
  const auto [name, before] = split(rest);
  if (only(before, kDigits)) {
    if (before.size() >= kMinutes) return name;
    // The index of an Indexed Job's pod, whose Job may be a CronJob's run.
    const auto [of_cron, minutes] = split(name);
    return minutes.size() >= kMinutes && only(minutes, kDigits) ? of_cron : name;
  }
  if (before.size() >= kHashLeast && before.size() <= kHashMost && only(before, kDrawn)) return name;
  return rest;
}

}  // namespace flowtap::telemetry
