#include "stream/sources/v1_containers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/ascii.hpp"
#include "base/directory.hpp"
#include "base/node/on_host.hpp"
#include "identity/cgroup_path.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap {
namespace {

using Clock = std::chrono::steady_clock;

// Looking at every process of a large node takes some hundred milliseconds.
constexpr auto kPause = std::chrono::minutes(5);

// The id of the container that a process with this /proc/PID/cgroup is in by v1 alone.
std::optional<std::string> v1_container(std::string_view text) {
  std::optional<std::string> id;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto path_at = line.find(":/");
    if (path_at == std::string_view::npos) continue;
    const std::string_view path = line.substr(path_at + 1);
    if (line.starts_with("0::")) {
      if (path != "/") return std::nullopt;
      continue;
    }
    if (const auto place = identity::parse_cgroup_path(path); !id && !place.containers.empty())
      id = place.containers.front().id;
  }
  return id;
}

}  // namespace

Result<V1Containers> find_v1_containers(const identity::RootDir& proc) {
  FTAP_TRY_ASSIGN(names, proc.list(".", kMostPids));
  std::set<std::string> ids;
  for (const std::string& name : names) {
    if (!std::ranges::all_of(name, is_digit)) continue;
    const auto text = proc.read(name + "/cgroup", identity::kProcCgroupLimit);
    if (!text) continue;  // it has ended meanwhile
    if (auto id = v1_container(*text)) ids.insert(std::move(*id));
  }
  return V1Containers{ids.size(), ids.empty() ? std::string() : *ids.begin()};
}

std::string v1_warning(const V1Containers& found) {
  if (found.count == 0) return {};
  return fmt::format(
      "{} containers have no cgroup of version 2 and are not captured ({}{}); mount cgroup2 and let the "
      "runtime use it (telemetry.hierarchy: v1 tells what they use)",
      found.count, found.count > 1 ? "one is " : "", found.example);
}

V1Search::V1Search(const std::string& host_root) {
  if (auto proc = identity::RootDir::open(on_host(host_root, "/proc"))) proc_ = std::move(*proc);
}

std::optional<std::string> V1Search::look_around() {
  if (!proc_ || Clock::now() < next_look_) return std::nullopt;
  next_look_ = Clock::now() + kPause;
  const auto found = find_v1_containers(*proc_);
  if (!found || found->count == 0) return std::nullopt;
  proc_.reset();
  return v1_warning(*found);
}

}  // namespace flowtap
