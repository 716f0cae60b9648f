#include "identity/hierarchy.hpp"

#include <fcntl.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/directory.hpp"

namespace flowtap::identity {
namespace {

DirectoryStream open_directory(const RootDir& top, const std::string& path) {
  auto fd = top.open_plain(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd ? directory_stream(std::move(*fd)) : nullptr;
}

}  // namespace

// This is opened by itself: a link below the root to another sysfs, as a container may have, would not be followed.
std::string cgroup2_place(const std::string& host_root) {
  for (const char* below : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    std::string place = host_root + below;
    if (const auto dir = RootDir::open(place); dir && dir->has_file("cgroup.controllers")) return place;
  }
  return {};
}

std::optional<RootDir> open_cgroup2(const std::string& host_root) {
  const std::string place = cgroup2_place(host_root);
  if (place.empty()) return std::nullopt;
  auto dir = RootDir::open(place);
  return dir ? std::optional(std::move(*dir)) : std::nullopt;
}

Status walk_cgroups(const RootDir& top, const std::function<void(std::uint64_t id, std::string path)>& see) {
  FTAP_TRY_ASSIGN(root, top.inode("/"));
  see(root, "/");
  std::size_t seen = 1;
  std::vector<std::string> left{""};
  while (!left.empty()) {
    const std::string above = std::move(left.back());
    left.pop_back();
    const DirectoryStream directory = open_directory(top, above.empty() ? "/" : above);
    if (!directory) continue;
    while (const dirent* entry =
               ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
      const std::string_view name(entry->d_name);
      if (entry->d_type != DT_DIR || name == "." || name == "..") continue;
      if (++seen > kMostCgroups) return fail("there are too many cgroups to look through");
      std::string path = above + '/' + std::string(name);
      see(entry->d_ino, path);
      left.push_back(std::move(path));
    }
  }
  return {};
}

}  // namespace flowtap::identity
