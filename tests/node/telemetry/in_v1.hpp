// Runtimes make a container's cgroup in the hierarchies of v1 as well, if the node has them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/containers/cgroup.hpp"

namespace flowtap::test {

/// A cgroup in the hierarchies of these controllers, as far as they are mounted; removed at the end.
class InV1 {
 public:
  /// `path` begins in each hierarchy, and these are mounted below `mounts`.
  InV1(std::initializer_list<const char*> controllers, std::string_view path,
       const std::string& mounts = "/sys/fs/cgroup") {
    for (const char* const controller : controllers) {
      const std::string root = fmt::format("{}/{}", mounts, controller);
      if (!std::filesystem::exists(root + "/cgroup.procs")) continue;
      paths_.push_back(fmt::format("{}/{}", root, path));
      std::filesystem::create_directories(paths_.back());
    }
  }
  ~InV1() {
    for (const std::string& path : paths_) remove_cgroup(path);
  }
  InV1(const InV1&) = delete;
  InV1& operator=(const InV1&) = delete;

  void add(pid_t pid) const {
    for (const std::string& path : paths_) std::ofstream(path + "/cgroup.procs") << pid << std::flush;
  }
  /// "" if the controller has no such hierarchy.
  [[nodiscard]] std::string file(std::string_view controller, std::string_view name) const {
    for (const std::string& path : paths_)
      if (path.contains(fmt::format("/{}/", controller))) return fmt::format("{}/{}", path, name);
    return {};
  }

 private:
  std::vector<std::string> paths_;
};

}  // namespace flowtap::test
