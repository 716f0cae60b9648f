// Who writes into a stream: asks the cgroup, the runtime's bundle and kubelet's log directories, and
// remembers.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/lru.hpp"
#include "base/result.hpp"
#include "identity/cgroup_path.hpp"
#include "identity/identity.hpp"
#include "identity/root_dir.hpp"
#include "identity/runtimes/bundle_finder.hpp"

namespace flowtap::identity {

/// What is known at the moment of discovery. The names come from the kernel with the event; the rest of the
/// cgroup's path is read from /proc and is gone with the process.
struct Sighting {
  std::string cgroup;                      ///< the cgroup's own name
  std::string parent;                      ///< the name of the one above
  pid_t pid = 0;                           ///< in the node's pid namespace; 0 if unknown
  std::optional<std::string> cgroup_path;  ///< whole, if somebody read it already
  /// What tells another process that got the pid, as far as it is known: when it started (ProcStat::start), and the id of
  /// its cgroup of v2, which is the inode of the directory.
  std::optional<std::uint64_t> start = {};
  std::optional<std::uint64_t> cgroup_id = {};
  /// Somebody but root may have chosen `cgroup` and `parent`: without the rest of the path they prove nothing.
  bool users_names = false;
  /// It was started within a container, in a cgroup below that one's: `cgroup` is a name that was chosen there.
  bool nested = false;
};

/// How far an answer goes.
enum class Certainty : std::uint8_t {
  kComplete,  ///< nothing more will be found out
  kPartial,   ///< the bundle or the log file is not there yet: ask again, or take this one in the end
};

struct Answer {
  Certainty certainty = Certainty::kPartial;
  /// The whole path of the cgroup was read. Else only its last two names were there, and who holds a cgroup
  /// (a container with cgroups of its own, a user's manager) can choose both: an answer to trust less.
  bool whole_path = false;
  /// The container that a runtime of this node made; absent for units and plain processes.
  std::optional<ContainerIdentity> container;
  /// A container inside that one, or inside `unit`: what it is called was decided there, and no bundle of
  /// this node is its own.
  std::optional<CgroupContainer> nested;
  /// It calls itself a container, but what the names say cannot be proven, or nothing says of which container it is.
  bool unproven = false;
  std::optional<std::string> unit;       ///< the systemd unit, if there is no container
  std::optional<std::string> user_unit;  ///< below a user's manager

  /// The flow's id; absent for a plain process, whose id needs its start time.
  [[nodiscard]] std::optional<std::string> flow_id() const;
};

/// Losses and work, for the daemon's own metrics.
struct ResolverCounts {
  std::uint64_t hits = 0;        ///< answered from memory
  std::uint64_t found = 0;       ///< read from a bundle
  std::uint64_t from_links = 0;  ///< the bundle was gone, /var/log/containers still knew
  std::uint64_t absent = 0;      ///< asked and not there (yet)
  std::uint64_t unreadable = 0;  ///< there, but no bundle that could be read
};

/// Not thread-safe: it belongs to the thread that discovers.
class Resolver {
 public:
  /// `most` containers and as many sandboxes are remembered, the least recently asked for is forgotten
  /// first; each takes at most about 40 KiB, usually 1. `root`, `proc` (its procfs) and `cgroups` (the hierarchy of v2;
  /// null: it is not seen) must outlive the resolver.
  Resolver(const RootDir& root, const RootDir& proc, StateDirectories where, std::size_t most = 4096,
           const RootDir* cgroups = nullptr);

  /// Never waits. Asked again, it looks again as long as an answer is partial. Without the whole path the names of a user's own
  /// cgroups are nobody's: they may be another container's.
  [[nodiscard]] Answer resolve(const Sighting& sighting);

  [[nodiscard]] const ResolverCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t remembered() const { return containers_.size() + sandboxes_.size(); }
  /// The last bundle that could not be read, for status.
  [[nodiscard]] const std::optional<Error>& last_error() const { return last_error_; }

 private:
  /// What containers of one pod share.
  struct Sandbox {
    std::string log_directory;
  };

  /// The path of the process's cgroup, if the process is still the one that was seen.
  [[nodiscard]] std::optional<std::string> path_of_process(const Sighting& sighting) const;
  [[nodiscard]] std::optional<std::string> up_to_cgroup(const std::string& path,
                                                        const Sighting& sighting) const;
  /// The whole path, if it can be had and is that of the event.
  [[nodiscard]] std::optional<std::string> path_of(const Sighting& sighting) const;
  [[nodiscard]] static std::string key_of(const std::string& id, const Sighting& sighting);
  void take_container(const CgroupContainer& seen, const std::string& key, Answer& answer);
  void add_log(const Bundle& bundle, ContainerIdentity& who);
  [[nodiscard]] std::string log_directory(const Bundle& bundle);
  bool take_link(const std::string& id, ContainerIdentity& who);
  [[nodiscard]] std::optional<Bundle> find(const std::string& id, std::optional<Runtime> hint);

  const RootDir& root_;
  const RootDir& proc_;
  const RootDir* cgroups_;
  BundleFinder finder_;
  Lru<ContainerIdentity> containers_;  // complete ones only, by key_of()
  Lru<Sandbox> sandboxes_;             // by id
  ResolverCounts counts_;
  std::optional<Error> last_error_;
};

}  // namespace flowtap::identity
