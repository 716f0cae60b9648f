#include "identity/usage_hierarchy.hpp"

#include <charconv>

#include "base/node/on_host.hpp"
#include "identity/hierarchy.hpp"
#include "identity/proc_identity.hpp"

namespace flowtap::identity {
namespace {

constexpr std::string_view kCpuAcct = "cpuacct";
constexpr std::size_t kCgroupsLimit = 64U << 10U;

std::string_view next_field(std::string_view& line) {
  const auto end = line.find('\t');
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return field;
}

UsageHierarchy of_v2(const std::string& host_root) {
  return {.place = cgroup2_place(host_root), .id = 0};
}

std::optional<UsageHierarchy> of_v1(const std::string& host_root) {
  const auto proc = RootDir::open(on_host(host_root, "/proc"));
  const auto text = proc ? proc->read("cgroups", kCgroupsLimit) : std::unexpected(proc.error());
  const auto id = text ? parse_proc_cgroups(*text, kCpuAcct) : std::nullopt;
  if (!id) return std::nullopt;
  // Looks by the name that systemd uses, and then for hosts that have none of its links.
  for (const char* name : {"/cpuacct", "/cpu,cpuacct", "/cpuacct,cpu"}) {
    std::string place = on_host(host_root, "/sys/fs/cgroup") + name;
    if (const auto dir = RootDir::open(place); dir && dir->has_file("cpuacct.stat"))
      return UsageHierarchy{.place = std::move(place), .id = *id};
  }
  return std::nullopt;
}

}  // namespace

std::optional<RootDir> UsageHierarchy::open() const {
  if (place.empty()) return std::nullopt;
  auto dir = RootDir::open(place);
  return dir ? std::optional(std::move(*dir)) : std::nullopt;
}

std::optional<std::string> UsageHierarchy::path_in(std::string_view proc_cgroup) const {
  return is_v1() ? parse_proc_cgroup_of(kCpuAcct, proc_cgroup) : parse_proc_cgroup(proc_cgroup);
}

std::optional<std::uint32_t> parse_proc_cgroups(std::string_view text, std::string_view controller) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (next_field(line) != controller) continue;
    const std::string_view number = next_field(line);
    std::uint32_t id = 0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    // 0: the controller is in the v2 hierarchy, or nowhere.
    if (error != std::errc{} || stop != number.data() + number.size() || id == 0) return std::nullopt;
    return id;
  }
  return std::nullopt;
}

Result<UsageHierarchy> choose_hierarchy(const std::string& host_root, std::string_view wanted) {
  UsageHierarchy v2;
  if (wanted != kHierarchyOfV1) v2 = of_v2(host_root);
  if (wanted == kHierarchyOfV2 || !v2.place.empty()) return v2;
  if (auto v1 = of_v1(host_root)) return std::move(*v1);
  if (wanted == kAnyHierarchy) return v2;
  return fail("there is no hierarchy of cgroup v1 with cpuacct here",
              "mount it in /sys/fs/cgroup, or set telemetry.hierarchy to auto");
}

}  // namespace flowtap::identity
