// Any text as the path of a cgroup: it gives few containers, and ids that can stand in a path. Nothing inside another container
// or a user's tree passes for the node's own.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "identity/cgroup_path.hpp"
#include "identity/root_dir.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flowtap::identity;
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  const CgroupPlace place = parse_cgroup_path(path);
  if (place.containers.size() > CgroupPlace::kDeepest) std::abort();
  for (const CgroupContainer& container : place.containers)
    if (!is_file_name(container.id) || !path.contains(container.id)) std::abort();
  if (place.boundary && (place.ours() != nullptr || !place.unit)) std::abort();

  const std::string id(64, 'f');
  const std::string outer = "/docker/" + id;
  const CgroupPlace below = parse_cgroup_path(outer + "/" + std::string(path));
  if (below.ours() == nullptr || below.ours()->id != id || below.unit) std::abort();
  const CgroupPlace users = parse_cgroup_path("/user.slice/user-7.slice/user@7.service/" + std::string(path));
  if (users.ours() != nullptr || users.unit != "user@7.service") std::abort();
  return 0;
}
