// The files of cgroups. They are opened once, as long as there are descriptors for them, and read anew each time.
#pragma once

#include <string>
#include <vector>

#include "base/fd.hpp"
#include "telemetry/workloads/files/cgroup_source.hpp"

namespace flowtap::telemetry {

/// Each cgroup takes up to 13 descriptors: its directory and its files (hybrid: 1 and about 13). Not thread-safe.
class CgroupFileSource final : public CgroupSource {
 public:
  /// `place` is where the node has its cgroups ("/sys/fs/cgroup"): the v2 hierarchy itself, or a folder with "unified"
  /// beside those of v1, whose controllers are read, too. Null: there is no v2. Beyond `most` descriptors each file is
  /// opened and closed for each reading, and only the directories of the first hierarchy stay open.
  [[nodiscard]] static std::unique_ptr<CgroupFileSource> open_below(const std::string& place,
                                                                    std::size_t most = kDescriptors);
  /// The same where the v1 hierarchy with cpuacct, which is at `cpuacct` below `place` or elsewhere, tells which
  /// cgroups exist: CPU time and processes are read there, memory and the rest where those controllers are. Null: it
  /// does not exist.
  [[nodiscard]] static std::unique_ptr<CgroupFileSource> open_v1(const std::string& place,
                                                                 const std::string& cpuacct,
                                                                 std::size_t most = kDescriptors);

  [[nodiscard]] std::unique_ptr<OpenCgroup> open(const std::string& path, std::uint64_t& unread) override;

  /// A hierarchy, and the files that are read in it.
  struct Hierarchy {
    Fd root;
    std::vector<const CgroupFile*> files;
  };

  /// The first one tells which cgroups exist.
  [[nodiscard]] const std::vector<Hierarchy>& hierarchies() const { return hierarchies_; }

  /// The whole file in the source's own buffer, valid until the next call; or why it could not be read.
  [[nodiscard]] int read(int fd, std::string_view& text);

  /// From now on `processes` are only those of the cgroup itself: the root and slices have too many below them.
  void leave_out_inner() { inner_ = false; }
  [[nodiscard]] bool reads_inner() const { return inner_; }

  /// Whether one more descriptor may stay open; if so it counts from now on.
  [[nodiscard]] bool keep() {
    if (kept_ >= most_) return false;
    ++kept_;
    return true;
  }
  void unkeep(std::size_t descriptors) { kept_ -= descriptors; }

 private:
  /// The v1 files, each where its controller is: below `place`, or in `first` where it is mounted together with that.
  void add_v1(const std::string& place, const std::string& first);

  // Whoever opens one knows how many there are.
  static constexpr std::size_t kDescriptors = 4096;

  std::size_t most_ = kDescriptors;
  std::size_t kept_ = 0;
  bool inner_ = true;
  std::vector<Hierarchy> hierarchies_;
  std::string buffer_ = std::string(std::size_t{16} << 10U, '\0');
};

}  // namespace flowtap::telemetry
