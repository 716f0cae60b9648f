// The files of cgroups, each opened once and read anew each time.
#pragma once

#include <string>
#include <vector>

#include "base/fd.hpp"
#include "telemetry/workloads/cgroup_source.hpp"

namespace flowtap::telemetry {

/// Per cgroup up to 15 descriptors: its directory and its files (hybrid: 5 and about 16). Not thread-safe.
class CgroupFileSource final : public CgroupSource {
 public:
  /// `place` is where the node has its cgroups ("/sys/fs/cgroup"): the hierarchy of v2 itself, or below it "unified" beside
  /// those of v1, whose controllers are read, too. Null: no v2.
  [[nodiscard]] static std::unique_ptr<CgroupFileSource> open_below(const std::string& place);

  [[nodiscard]] std::unique_ptr<OpenCgroup> open(const std::string& path, std::uint64_t& unread) override;

  /// A hierarchy, and the files that are read in it.
  struct Hierarchy {
    Fd root;
    std::vector<const CgroupFile*> files;
  };

  /// The first is v2's.
  [[nodiscard]] const std::vector<Hierarchy>& hierarchies() const { return hierarchies_; }

  /// The whole file in the source's own buffer, until the next call; or why not.
  [[nodiscard]] int read(int fd, std::string_view& text);

 private:
  std::vector<Hierarchy> hierarchies_;
  std::string buffer_ = std::string(std::size_t{16} << 10U, '\0');
};

}  // namespace flowtap::telemetry
