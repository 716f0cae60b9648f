// Finds out who writes into a stream: it asks the cgroup, the runtime's bundle and kubelet's log directories, and
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

/// What is known at the moment of discovery. The names come from the kernel with the event; the rest of the cgroup's
/// path is read from /proc and goes with the process.
struct Sighting {
  std::string cgroup;                      ///< the cgroup's own name
  std::string parent;                      ///< the name of the one above
  pid_t pid = 0;                           ///< in the node's pid namespace; 0 if unknown
  std::optional<std::string> cgroup_path;  ///< the whole path, if somebody has read it already
  /// What tells another process with the same pid apart, as far as it is known: its start time (ProcStat::start), and
  /// the id of its v2 cgroup, which is the inode of the directory.
  std::optional<std::uint64_t> start = {};
  std::optional<std::uint64_t> cgroup_id = {};
  /// Somebody other than root may have chosen `cgroup` and `parent`: without the rest of the path they prove nothing.
  bool users_names = false;
  /// It was started within a container, in a cgroup below the container's: `cgroup` is a name that was chosen there.
  bool nested = false;
};

/// How far an answer goes.
enum class Certainty : std::uint8_t {
  kComplete,  ///< nothing more will be found out
  kPartial,   ///< the bundle or the log file is not there yet: ask again, or take this answer in the end
};

struct Answer {
  Certainty certainty = Certainty::kPartial;
  /// The whole path of the cgroup was read. Otherwise only its last two names were known, and whoever holds a cgroup (a
  /// container with cgroups of its own, a user's manager) can choose both: such an answer deserves less trust.
  bool whole_path = false;
  /// The container that a runtime of this node made; absent for units and plain processes.
  std::optional<ContainerIdentity> container;
  /// A container inside that one, or inside `unit`: its name was chosen there, and no bundle of this node belongs to
  /// it.
  std::optional<CgroupContainer> nested;
  /// The ids of the cgroups (v2) of both themselves: another run has another one. Absent: not known.
  std::optional<std::uint64_t> cgroup = {};
  std::optional<std::uint64_t> nested_cgroup = {};
  /// It claims to be a container, but the names cannot be proven, or nothing says which container it is.
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
  std::uint64_t unreadable = 0;  ///< there, but the bundle could not be read
};

/// Not thread-safe: it belongs to the thread that discovers.
class Resolver {
 public:
  /// Remembers `most` containers and as many sandboxes, and forgets the one first that was asked for least recently;
  /// each takes at most about 40 KiB, usually 1. `root`, `proc` (its procfs) and `cgroups` (the v2 hierarchy; null: it
  /// is not visible) must outlive the resolver.
  Resolver(const RootDir& root, const RootDir& proc, StateDirectories where, std::size_t most = 4096,
           const RootDir* cgroups = nullptr);

  /// Never waits. While an answer is partial, the next call looks again. Without the whole path the names of a user's
  /// own cgroups count for nobody: they may be another container's.
  [[nodiscard]] Answer resolve(const Sighting& sighting);

  [[nodiscard]] const ResolverCounts& counts() const { return counts_; }
  [[nodiscard]] std::size_t remembered() const { return containers_.size() + sandboxes_.size(); }
  /// The last bundle that could not be read, for the status.
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
  /// The whole path, if it can be had and belongs to the event.
  [[nodiscard]] std::optional<std::string> path_of(const Sighting& sighting) const;
  void take_cgroups(const std::optional<std::string>& path, const Sighting& sighting, Answer& answer) const;
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
