#include "telemetry/node/mounts.hpp"

#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {
namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// mangle() of fs/seq_file.c writes white space, '\\' and '#' as a backslash and three octal digits.
std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const bool escape = text.size() >= 4 && text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
                        is_octal(text[2]) && is_octal(text[3]);
    out += escape ? static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0')) : text[0];
    text.remove_prefix(escape ? 4 : 1);
  }
  return out;
}

std::optional<dev_t> device_number(std::string_view word) {
  const auto colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major = whole_number(word.substr(0, colon));
  const auto minor = whole_number(word.substr(colon + 1));
  constexpr std::uint64_t kMost = std::numeric_limits<unsigned>::max();
  if (!major || !minor || *major > kMost || *minor > kMost) return std::nullopt;
  return makedev(static_cast<unsigned>(*major), static_cast<unsigned>(*minor));
}

// One space separates words of mountinfo: the name of what was mounted may be empty.
std::string_view next_part(std::string_view& line) {
  const auto space = line.find(' ');
  const std::string_view part = line.substr(0, space);
  line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
  return part;
}

// "36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw": any number of optional fields before the "-".
std::optional<Mount> mount_of(std::string_view line) {
  Mount mount;
  const auto id = whole_number(next_part(line));
  const auto parent = whole_number(next_part(line));
  const auto number = device_number(next_part(line));
  next_part(line);  // what of the file system is mounted here
  mount.point = unescaped(next_part(line));
  next_part(line);  // options of the mount
  while (!line.empty() && next_part(line) != "-") {
  }
  mount.type = unescaped(next_part(line));
  mount.device = unescaped(next_part(line));
  mount.options = unescaped(next_part(line));
  if (!id || !parent || !number || !mount.point.starts_with('/') || mount.type.empty()) return std::nullopt;
  if (mount.point.contains('\0')) return std::nullopt;
  mount.id = *id;
  mount.parent = *parent;
  mount.device_number = *number;
  if (mount.device.empty()) mount.device = "none";
  return mount;
}

bool is_below(std::string_view point, std::string_view folder) {
  return point.starts_with(folder) && (point.size() == folder.size() || point[folder.size()] == '/');
}

}  // namespace

Mounts parse_mounts(std::string_view text) {
  Mounts mounts;
  std::map<std::string, std::size_t> at;  // by mount point
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.empty()) continue;
    auto mount = mount_of(line);
    if (!mount) {
      ++mounts.unread;
      continue;
    }
    const auto [before, fresh] = at.try_emplace(mount->point, mounts.all.size());
    if (fresh) {
      mounts.all.push_back(std::move(*mount));
      continue;
    }
    // The lines are nearly always in the order of mounting, but a namespace that was copied has them by tree.
    Mount& other = mounts.all.at(before->second);
    if (other.parent != mount->id) other = std::move(*mount);
  }
  return mounts;
}

bool is_storage(const Mount& mount) {
  static constexpr std::array<std::string_view, 25> kOthers{
      "autofs",    "binfmt_misc", "bpf",   "cgroup",  "cgroup2",   "configfs",   "debugfs",
      "devpts",    "devtmpfs",    "erofs", "fusectl", "hugetlbfs", "iso9660",    "mqueue",
      "nsfs",      "overlay",     "proc",  "procfs",  "pstore",    "rpc_pipefs", "securityfs",
      "selinuxfs", "squashfs",    "sysfs", "tracefs"};
  if (std::ranges::find(kOthers, mount.type) != kOthers.end()) return false;
  for (const std::string_view folder : {"/dev", "/proc", "/sys"})
    if (is_below(mount.point, folder)) return false;
  for (const std::string_view folder :
       {"/run/credentials/", "/var/lib/docker/", "/var/lib/containers/storage/"})
    if (mount.point.starts_with(folder) && mount.point.size() > folder.size()) return false;
  return true;
}

}  // namespace flowtap::telemetry
