// A hierarchy of cgroup v1, as old nodes and hybrid ones have them.
#pragma once

#include <cstdint>
#include <string>

namespace flowtap::test {

/// Where the machine has that of the controller; where it has none it is mounted as long as this lives. Throws
/// std::runtime_error where the kernel does not let it: v2 may have the controller.
class V1Hierarchy {
 public:
  explicit V1Hierarchy(const std::string& controller);
  ~V1Hierarchy();
  V1Hierarchy(const V1Hierarchy&) = delete;
  V1Hierarchy& operator=(const V1Hierarchy&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }  ///< as /proc/cgroups has it

 private:
  std::string path_;
  bool mounted_ = false;
  std::uint32_t id_ = 0;
};

}  // namespace flowtap::test
