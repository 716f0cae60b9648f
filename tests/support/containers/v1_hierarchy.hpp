// A hierarchy of cgroup v1, which old and hybrid nodes have.
#pragma once

#include <cstdint>
#include <string>

namespace flowtap::test {

/// Uses the machine's hierarchy of the controller. If there is none, it is mounted for as long as this lives. Throws
/// std::runtime_error if the kernel refuses: v2 may have the controller.
class V1Hierarchy {
 public:
  explicit V1Hierarchy(const std::string& controller);
  ~V1Hierarchy();
  V1Hierarchy(const V1Hierarchy&) = delete;
  V1Hierarchy& operator=(const V1Hierarchy&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }  ///< the number in /proc/cgroups

 private:
  std::string path_;
  bool mounted_ = false;
  std::uint32_t id_ = 0;
};

}  // namespace flowtap::test
