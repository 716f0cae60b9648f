// Any bytes as the files that say how much memory there is. The first byte says which; those of a place are two texts with a NUL
// between. A place can be walked upwards to its root and leads out of it nowhere, and a number is one that the text has.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "stream/memory/memory_files.hpp"
#include "tests/fuzz/require.hpp"

using flowtap::fuzz::require;

namespace {

void look_at_place(std::string_view cgroup, std::string_view mountinfo, flowtap::CgroupVersion version) {
  const auto place = flowtap::memory_cgroup_place(cgroup, mountinfo, version);
  if (!place) return;
  require(place->mount.starts_with('/') && mountinfo.contains(place->mount));
  require(place->root.starts_with('/') && mountinfo.contains(place->root));
  require(place->path.empty() || (place->path.starts_with('/') && cgroup.contains(place->path)));
  require(!place->path.contains("/..") && !place->path.contains('\n'));
  std::string path = place->path;
  while (!path.empty()) path.resize(path.rfind('/'));
}

void look_at_number(std::string_view text) {
  const auto number = flowtap::whole_number(text);
  if (number)
    for (const char c : text) require(flowtap::is_digit(c));
  const auto limit = flowtap::memory_limit_of(text);
  require(!limit || (limit == number && *limit < std::uint64_t{1} << 62U));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using flowtap::CgroupVersion;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'p': {
      const std::string_view cgroup = text.substr(0, text.find('\0'));
      const std::string_view mountinfo = text.substr(std::min(cgroup.size() + 1, text.size()));
      look_at_place(cgroup, mountinfo, CgroupVersion::kV2);
      look_at_place(cgroup, mountinfo, CgroupVersion::kV1);
      break;
    }
    case 's':
      require(flowtap::value_behind(text, "inactive_file") == 0 || text.contains("inactive_file"));
      require(flowtap::value_behind(text, "MemTotal:") == 0 || text.contains("MemTotal:"));
      break;
    case 'm':
      require(flowtap::anonymous_of_statm(text, 4096) % 4096 == 0);
      break;
    default:
      look_at_number(text);
      break;
  }
  return 0;
}
