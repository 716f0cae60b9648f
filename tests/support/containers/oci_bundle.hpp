// What a runtime needs to run a container: a root file system, and the OCI's config.json.
#pragma once

#include <sys/types.h>

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

/// A root file system for containers, which all of them share: one busybox with its applets, and log_writer.
class BusyboxRoot {
 public:
  /// Throws std::runtime_error if there is no static busybox.
  explicit BusyboxRoot(const ScratchRoot& root);
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Adds a runc that finds its libraries, and the bundle /inner of a container with the same programs, which this runc
  /// can run.
  void add_runtime(const std::string& inner_id, const std::vector<std::string>& command) const;

 private:
  std::string path_;
};

/// 0: none.
struct OciLimits {
  std::uint64_t memory_bytes = 0;
  unsigned cpu_percent = 0;  ///< percent of one CPU
  unsigned tasks = 0;
};

struct OciContainer {
  std::string root;  ///< path of its file system
  std::vector<std::string> command;
  std::string cgroup;  ///< its path
  std::map<std::string, std::string> annotations = {};
  std::string hostname = {};   ///< empty: the host's
  bool host_pid = false;       ///< in the pid namespace of the process that starts it
  pid_t pid_namespace_of = 0;  ///< in that process's pid namespace
  bool terminal = false;
  OciLimits limits = {};
};
[[nodiscard]] boost::json::object oci_config(const OciContainer& container);

}  // namespace flowtap::test
