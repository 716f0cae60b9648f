// The texts that say how much memory a process may take: of cgroups v2 and v1, and of procfs. Nothing here opens a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap {

enum class CgroupVersion : std::uint8_t { kV1, kV2 };

/// Where the process' cgroup with the memory controller is seen.
struct MemoryCgroupPlace {
  std::string mount;  ///< the directory at which the hierarchy is mounted
  std::string root;   ///< the cgroup that is seen there
  std::string path;   ///< below it: "" or "/a/b"
};

/// Out of /proc/self/cgroup (cgroups(7)) and /proc/self/mountinfo (proc_pid_mountinfo(5)); the first mount counts. Absent: there is
/// none. A cgroup outside of what is mounted is seen as that mount's root.
[[nodiscard]] std::optional<MemoryCgroupPlace> memory_cgroup_place(std::string_view cgroup,
                                                                   std::string_view mountinfo,
                                                                   CgroupVersion version);

/// A whole decimal number, and nothing else. Absent also where it is too large for its type.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

/// memory.max or memory.limit_in_bytes, without white space around it. Absent: "max", v1's largest number of whole pages, or what is no
/// number.
[[nodiscard]] std::optional<std::uint64_t> memory_limit_of(std::string_view text);

/// The number behind a word that begins a line ("inactive_file 4096", "MemTotal: 16 kB"); 0: there is none.
[[nodiscard]] std::uint64_t value_behind(std::string_view text, std::string_view key);

/// What a process has taken beside its files, in bytes (proc_pid_statm(5)); 0: the text does not say.
[[nodiscard]] std::uint64_t anonymous_of_statm(std::string_view text, std::uint64_t page);

}  // namespace flowtap
