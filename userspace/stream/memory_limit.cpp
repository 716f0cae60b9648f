#include "stream/memory_limit.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "base/file.hpp"
#include "identity/cgroup_path.hpp"

namespace flowtap {
namespace {

// Keys of memory.stat, for the cgroup and all below it.
constexpr std::array<std::string_view, 3> kCachesOfV2{"inactive_file", "active_file", "slab_reclaimable"};
constexpr std::array<std::string_view, 2> kCachesOfV1{"total_inactive_file", "total_active_file"};

// The files of a hierarchy with the memory controller.
struct Files {
  const char* limit;
  const char* usage;
  const char*
      kills;  // has a line "oom_kill NUMBER" (of v1 since Linux 4.13); memory.failcnt counts mere reclaim as well
  std::span<const std::string_view> caches;
};
constexpr Files kV2{"memory.max", "memory.current", "memory.events", kCachesOfV2};
constexpr Files kV1{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control", kCachesOfV1};

// Some 200 bytes for each mount, of which nodes have many thousands.
constexpr std::size_t kMostMountinfo = std::size_t{64} << 20U;

// v1 says so for "no limit": the largest number of whole pages.
constexpr std::uint64_t kNone = std::uint64_t{1} << 62U;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end != text.data() ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_line(path);
  return text ? number(*text) : std::nullopt;
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

// The value that stands behind a word at the beginning of a line; 0: there is none.
std::uint64_t value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take_word(line) == key) return number(take_word(line)).value_or(0);
  }
  return 0;
}

bool has(std::string_view list, std::string_view name) {
  return ("," + std::string(list) + ",").find("," + std::string(name) + ",") != std::string::npos;
}

// This process' cgroup in v2, or in v1's hierarchy with the memory controller (cgroups(7): NUMBER:CONTROLLERS:PATH).
std::optional<std::string> own_cgroup(std::string_view proc_cgroup, bool v1) {
  while (!proc_cgroup.empty()) {
    std::string_view line = take_line(proc_cgroup);
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (v1 ? has(controllers, "memory") : line.starts_with("0::"))
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

struct Mount {
  std::string root;  // the cgroup that is seen there
  std::string place;
};

// The first mount of the hierarchy (proc_pid_mountinfo(5)).
std::optional<Mount> mount_of(std::string_view mountinfo, bool v1) {
  while (!mountinfo.empty()) {
    std::string_view line = take_line(mountinfo);
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view behind = line.substr(dash + 3);
    const std::string_view type = take_word(behind);
    take_word(behind);  // the source
    if (v1 ? type != "cgroup" || !has(take_word(behind), "memory") : type != "cgroup2") continue;
    for (int skipped = 0; skipped < 3; ++skipped) take_word(line);
    const std::string_view root = take_word(line);
    return Mount{std::string(root), std::string(take_word(line))};
  }
  return std::nullopt;
}

// Below the mount: "" for its root, else "/a/b". What lies outside of what is mounted is not seen.
std::string below(const Mount& mount, const std::string& cgroup) {
  if (cgroup.contains("/..")) return {};
  std::string_view path = cgroup;
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return {};
    path.remove_prefix(mount.root.size());
    if (!path.empty() && path.front() != '/') return {};
  }
  return path == "/" ? std::string() : std::string(path);
}

// What this process has taken beside its files (proc_pid_statm(5)).
std::uint64_t taken_already(const std::string& root) {
  const auto text = read_line(root + "/proc/self/statm");
  const long page = ::sysconf(_SC_PAGESIZE);
  if (!text || page <= 0) return 0;
  std::string_view words = *text;
  take_word(words);  // what is mapped
  const std::uint64_t resident = number(take_word(words)).value_or(0);
  const std::uint64_t of_files = number(take_word(words)).value_or(0);
  return (resident - std::min(resident, of_files)) * static_cast<std::uint64_t>(page);
}

void append(std::vector<MemoryLimit>& out, const std::string& root, const Files& files,
            const std::string& proc_cgroup, const std::string& mountinfo) {
  const bool v1 = &files == &kV1;
  const auto cgroup = own_cgroup(proc_cgroup, v1);
  const auto mount = mount_of(mountinfo, v1);
  if (!cgroup || !mount) return;
  const std::uint64_t ours = taken_already(root);
  const std::string nearest = below(*mount, *cgroup);
  for (std::string path = nearest;; path.resize(path.rfind('/'))) {
    const std::string at = root + mount->place + path + "/";
    const auto limit = number_in(at + files.limit);
    if (limit && *limit < kNone) {
      const auto stat = read_file(at + "memory.stat");
      const auto kills = read_file(at + files.kills);
      const bool is_pods = nearest.rfind('/') == path.size() && identity::pod_uid_of_cgroup(path);
      std::uint64_t used = number_in(at + files.usage).value_or(0);
      used -= std::min(used, ours);
      for (const std::string_view cache : files.caches)
        used -= std::min(used, stat ? value_of(*stat, cache) : 0);
      out.push_back(
          {.bytes = *limit,
           .left = *limit - std::min(*limit, used),
           .own = path == nearest || is_pods,
           .killed = kills && value_of(*kills, "oom_kill") != 0,
           .whose = fmt::format("{} of the cgroup {}", files.limit, path.empty() ? mount->root : path)});
    }
    if (path.empty()) return;
  }
}

}  // namespace

std::vector<MemoryLimit> memory_limits(std::string& unread, const std::string& root) {
  constexpr std::uint64_t kKiB = 1024;
  std::vector<MemoryLimit> all;
  const auto cgroups = read_file(root + "/proc/self/cgroup");
  const auto mounts = read_file(root + "/proc/self/mountinfo", kMostMountinfo);
  if (cgroups && mounts)
    for (const Files* files : {&kV2, &kV1}) append(all, root, *files, *cgroups, *mounts);
  else
    unread = "the memory limits of cgroups are not known, so that flowtapd may take more than they allow: " +
             (cgroups ? mounts : cgroups).error().what;
  if (const auto machine = read_file(root + "/proc/meminfo"))
    if (const std::uint64_t total = value_of(*machine, "MemTotal:"))
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
