#include "stream/memory/memory_files.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace flowtap {
namespace {

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

bool has(std::string_view list, std::string_view name) {
  return ("," + std::string(list) + ",").find("," + std::string(name) + ",") != std::string::npos;
}

// Lines NUMBER:CONTROLLERS:PATH; v2 has number 0 and no controllers.
std::optional<std::string_view> own_cgroup(std::string_view cgroup, CgroupVersion version) {
  while (!cgroup.empty()) {
    const std::string_view line = take_line(cgroup);
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || !line.substr(second + 1).starts_with('/')) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (version == CgroupVersion::kV1 ? has(controllers, "memory") : line.starts_with("0::"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

std::optional<MemoryCgroupPlace> mount_of(std::string_view mountinfo, CgroupVersion version) {
  while (!mountinfo.empty()) {
    std::string_view line = take_line(mountinfo);
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    std::string_view behind = line.substr(dash + 3);
    line = line.substr(0, dash);
    const std::string_view type = take_word(behind);
    take_word(behind);  // the source
    const bool is_it = version == CgroupVersion::kV1 ? type == "cgroup" && has(take_word(behind), "memory")
                                                     : type == "cgroup2";
    if (!is_it) continue;
    for (int skipped = 0; skipped < 3; ++skipped) take_word(line);
    const std::string_view root = take_word(line);
    const std::string_view mount = take_word(line);
    if (root.starts_with('/') && mount.starts_with('/'))
      return MemoryCgroupPlace{std::string(mount), std::string(root), {}};
  }
  return std::nullopt;
}

std::string_view below(std::string_view root, std::string_view cgroup) {
  if (cgroup.contains("/..")) return {};
  if (root != "/") {
    if (!cgroup.starts_with(root)) return {};
    cgroup.remove_prefix(root.size());
    if (!cgroup.starts_with('/')) return {};
  }
  return cgroup == "/" ? std::string_view() : cgroup;
}

}  // namespace

std::optional<MemoryCgroupPlace> memory_cgroup_place(std::string_view cgroup, std::string_view mountinfo,
                                                     CgroupVersion version) {
  const auto own = own_cgroup(cgroup, version);
  auto place = own ? mount_of(mountinfo, version) : std::nullopt;
  if (place) place->path = below(place->root, *own);
  return place;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                                   : std::nullopt;
}

std::optional<std::uint64_t> memory_limit_of(std::string_view text) {
  // v1 says so for "no limit": the largest number of whole pages.
  constexpr std::uint64_t kNone = std::uint64_t{1} << 62U;
  const auto value = whole_number(text);
  return value && *value < kNone ? value : std::nullopt;
}

std::uint64_t value_behind(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (take_word(line) == key) return whole_number(take_word(line)).value_or(0);
  }
  return 0;
}

std::uint64_t anonymous_of_statm(std::string_view text, std::uint64_t page) {
  text = take_line(text);
  take_word(text);  // what is mapped
  const std::uint64_t resident = whole_number(take_word(text)).value_or(0);
  const std::uint64_t of_files = whole_number(take_word(text)).value_or(0);
  const std::uint64_t pages = resident - std::min(resident, of_files);
  return page == 0 || pages > std::numeric_limits<std::uint64_t>::max() / page ? 0 : pages * page;
}

}  // namespace flowtap
