#include "identity/proc_identity.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace flowtap::identity {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

template <typename T>
bool read_number(std::string_view text, T& value) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  return ec == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// Field `n` after the command, counted as in proc.rst (3 is the state). Empty if there are fewer.
std::string_view field(std::string_view rest, unsigned n) {
  for (unsigned at = 3; at < n; ++at) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return {};
    rest.remove_prefix(space + 1);
  }
  return rest.substr(0, rest.find_first_of(" \n"));
}

// A line of /proc/PID/cgroup.
struct CgroupLine {
  std::string_view hierarchy;
  std::string_view controllers;
  std::string_view path;  // without the kernel's mark for a removed one
};

// Calls `see` for each path that is not a hierarchy's root.
template <typename See>
void for_each_cgroup(std::string_view text, const See& see) {
  while (!text.empty()) {
    const auto end = text.find('\n');  // no cgroup's name contains one: the kernel refuses it
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    std::string_view path = line.substr(second + 1);
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    if (!path.starts_with('/') || path == "/") continue;
    see({.hierarchy = line.substr(0, first),
         .controllers = line.substr(first + 1, second - first - 1),
         .path = path});
  }
}

}  // namespace

Result<ProcStat> parse_proc_stat(std::string_view text) {
  const auto open = text.find(" (");
  const auto close =
      text.rfind(") ");  // the last one: the command may hold any byte, the fields after it do not
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2)
    return fail("a stat file of /proc has no command");
  ProcStat stat;
  stat.comm = std::string(text.substr(open + 2, close - open - 2));
  const std::string_view rest = text.substr(close + 2);
  const std::string_view state = field(rest, 3);
  if (state.size() != 1 || !read_number(field(rest, 4), stat.parent) ||
      !read_number(field(rest, 22), stat.start))
    return fail("a stat file of /proc has no state, parent or start time");
  stat.state = state[0];
  return stat;
}

std::uint64_t start_ticks(std::uint64_t ns) {
  return ns / (1'000'000'000U / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

std::optional<std::string> parse_proc_cgroup(std::string_view text) {
  std::string_view v2;
  std::string_view systemd;
  std::string_view deepest;
  for_each_cgroup(text, [&](const CgroupLine& line) {
    if (line.hierarchy == "0" && line.controllers.empty()) v2 = line.path;
    if (line.controllers == "name=systemd") systemd = line.path;
    if (std::ranges::count(line.path, '/') > std::ranges::count(deepest, '/')) deepest = line.path;
  });
  for (const std::string_view path : {v2, systemd, deepest})
    if (!path.empty()) return std::string(path);
  return std::nullopt;
}

std::optional<std::string> parse_proc_cgroup_of(std::string_view controller, std::string_view text) {
  std::optional<std::string> found;
  for_each_cgroup(text, [&](const CgroupLine& line) {
    for (std::string_view left = line.controllers; !left.empty();) {
      const auto end = left.find(',');
      if (left.substr(0, end) == controller) found = std::string(line.path);
      left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    }
  });
  return found;
}

}  // namespace flowtap::identity
