#include "stream/memory/memory_limit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/file.hpp"
#include "identity/cgroup_path.hpp"
#include "stream/memory/memory_files.hpp"

namespace flowtap {
namespace {

// Keys of memory.stat, for the cgroup and all below it.
constexpr std::array<std::string_view, 3> kCachesOfV2{"inactive_file", "active_file", "slab_reclaimable"};
constexpr std::array<std::string_view, 2> kCachesOfV1{"total_inactive_file", "total_active_file"};

// The files of a hierarchy with the memory controller.
struct Files {
  CgroupVersion version;
  const char* limit;
  const char* high;  // where the kernel begins to slow processes down; null: there is no such file
  const char* usage;
  std::string_view shmem;  // in memory.stat, as are these
  std::span<const std::string_view> caches;
};
constexpr Files kV2{CgroupVersion::kV2, "memory.max", "memory.high", "memory.current", "shmem", kCachesOfV2};
constexpr Files kV1{CgroupVersion::kV1,      "memory.limit_in_bytes", nullptr,
                    "memory.usage_in_bytes", "total_shmem",           kCachesOfV1};

// Each mount takes some 200 bytes, and nodes have many thousands of them.
constexpr std::size_t kMostMountinfo = std::size_t{64} << 20U;

std::uint64_t taken_already(const std::string& root) {
  const auto text = read_line(root + "/proc/self/statm");
  const long page = ::sysconf(_SC_PAGESIZE);
  return text && page > 0 ? anonymous_of_statm(*text, static_cast<std::uint64_t>(page)) : 0;
}

// How much of what is charged to a cgroup the kernel would not take back; 0: it is not known.
std::uint64_t charged(const std::string& cgroup, const Files& files, std::string_view stat) {
  const auto usage = read_line(cgroup + files.usage);
  std::uint64_t bytes = usage ? whole_number(*usage).value_or(0) : 0;
  for (const std::string_view cache : files.caches) bytes -= std::min(bytes, value_behind(stat, cache));
  return bytes;
}

void append(std::vector<MemoryLimit>& out, const std::string& root, const Files& files,
            const std::string& cgroup, const std::string& mountinfo) {
  const auto place = memory_cgroup_place(cgroup, mountinfo, files.version);
  if (!place) return;
  const std::uint64_t ours = taken_already(root);
  const std::string& nearest = place->path;
  for (std::string path = nearest;; path.resize(path.rfind('/'))) {
    const std::string at = root + place->mount + path + "/";
    for (const char* name : {files.limit, files.high}) {
      const auto text = name != nullptr ? read_line(at + name) : Result<std::string>();
      const auto limit = text ? memory_limit_of(*text) : std::nullopt;
      if (!limit) continue;
      const bool is_pods = nearest.rfind('/') == path.size() && identity::pod_uid_of_cgroup(path);
      const std::string stat = read_file(at + "memory.stat").value_or("");
      const std::uint64_t used = charged(at, files, stat);
      out.push_back({.bytes = *limit,
                     .left = *limit - std::min(*limit, used - std::min(used, ours)),
                     .shmem = value_behind(stat, files.shmem),
                     .own = path == nearest || is_pods,
                     .slows = name == files.high,
                     .whose = fmt::format("{} of the cgroup {}", name, path.empty() ? place->root : path)});
    }
    if (path.empty()) return;
  }
}

}  // namespace

std::vector<MemoryLimit> memory_limits(std::string& unread, const std::string& root) {
  constexpr std::uint64_t kKiB = 1024;
  constexpr std::uint64_t kMostKiB = std::uint64_t{1} << 52U;  // in bytes, it is still a number
  std::vector<MemoryLimit> all;
  const auto cgroups = read_file(root + "/proc/self/cgroup");
  const auto mounts = read_file(root + "/proc/self/mountinfo", kMostMountinfo);
  if (cgroups && mounts)
    for (const Files* files : {&kV2, &kV1}) append(all, root, *files, *cgroups, *mounts);
  else
    unread = "the memory limits of cgroups are not known, so that flowtapd may take more than they allow: " +
             (cgroups ? mounts : cgroups).error().what;
  if (const auto machine = read_file(root + "/proc/meminfo"))
    if (const std::uint64_t total = value_behind(*machine, "MemTotal:"); total - 1 < kMostKiB)
      all.push_back({.bytes = total * kKiB, .left = total * kKiB, .whose = "the machine's memory"});
  return all;
}

const MemoryLimit* smallest(const std::vector<MemoryLimit>& limits) {
  const auto least = std::ranges::min_element(limits, {}, &MemoryLimit::bytes);
  return least == limits.end() ? nullptr : &*least;
}

std::string mib(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kGiB = kMiB << 10U;
  if (bytes >= 10 * kGiB) return fmt::format("{} GiB", bytes / kGiB);
  if (bytes % kMiB == 0) return fmt::format("{} MiB", bytes / kMiB);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / static_cast<double>(kMiB));
}

}  // namespace flowtap
