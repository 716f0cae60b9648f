// Who used what. Cgroups come and go, so their usage is added up by workload, and nothing is lost when they end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stats/snapshot.hpp"
#include "stats/usage_source.hpp"
#include "telemetry/workloads/workload_name.hpp"

namespace flowtap::telemetry {

/// Whose a cgroup is, as far as is known now.
struct CgroupNaming {
  WorkloadName name;
  bool complete = true;  ///< false: ask again, more may be known soon
  std::string top;  ///< path of the workload's own cgroup: this one, or one above; empty where it has none
  std::string flow = {};     ///< for a container or unit: the flow of its output
  std::string id = {};       ///< for a container: the runtime's id, whole
  std::string image = {};    ///< also: the name that was asked for; empty where not known
  std::string pod_uid = {};  ///< also: kubelet's uid; empty where it is in no pod
  std::string runtime = {};  ///< also: identity::runtime_name(); empty where not known
};

/// Whose end it is: of a container or unit as it was then.
struct EndedWorkload {
  WorkloadName name;
  std::string id = {};    ///< a container's, whole
  std::string flow = {};  ///< the flow of its output
};

/// A container that has ended, by its first process.
struct EndedContainer {
  EndedWorkload of;
  stats::ProcessEnd end;
};

/// A service that has ended: its last process has left.
struct EndedService {
  EndedWorkload of;
  /// Of the process that the service is over by: the first one that did not end well, otherwise the last one; absent: that was not
  /// seen.
  std::optional<stats::ProcessEnd> end;
  bool success = false;  ///< it ended well
};

/// Processes that the kernel killed for want of memory. An end above is not counted here again.
struct OomKills {
  EndedWorkload of;
  std::uint64_t count = 0;
  stats::ProcessEnd last;
};

/// What has ended.
struct Ends {
  std::vector<EndedContainer> containers;
  std::vector<EndedService> services;
  std::vector<OomKills> oom_kills;
};

/// The interface that knows the cgroups of the node.
class CgroupNames {
 public:
  CgroupNames() = default;
  virtual ~CgroupNames() = default;
  CgroupNames(const CgroupNames&) = delete;
  CgroupNames& operator=(const CgroupNames&) = delete;

  [[nodiscard]] virtual CgroupNaming name(std::uint64_t id, const std::string& path) = 0;
  /// Calls `see` for each visible cgroup that exists now, from the top one ("/") down.
  [[nodiscard]] virtual Status walk(const std::function<void(std::uint64_t id, std::string path)>& see) = 0;
  /// Whether any process is in exactly this cgroup now.
  [[nodiscard]] virtual bool has_processes(const std::string& path) = 0;
  /// Whether a service that ended with `status`, which is wait(2)'s, has succeeded by a rule of its own.
  [[nodiscard]] virtual bool is_success(const std::string& /*unit*/, int /*status*/) { return false; }
};

/// One workload.
struct Workload {
  stats::GroupUsage usage;                       ///< what has ended meanwhile included
  std::set<std::string> tops;                    ///< paths of the cgroups that it has now (CgroupNaming::top)
  std::chrono::steady_clock::time_point last{};  ///< when something of it last existed
  stats::Labels labels{};                        ///< WorkloadName::labels()
  /// Those of the tops that are containers, by path: the labels above, id, image, path.
  std::map<std::string, stats::Labels> instances{};
};

/// Not thread-safe.
class UsageLedger {
 public:
  using Clock = std::chrono::steady_clock;

  /// The root's id, which is always this: whoever sees the root sees everything (kernel: kernfs_create_root() numbers
  /// from 1).
  static constexpr std::uint64_t kRoot = 1;
  /// When a cgroup's directory goes, its last tasks are still switching.
  static constexpr std::chrono::seconds kGrace{2};
  /// No more ended workloads than this are kept: someone who makes many, each with a name of its own, would push out
  /// what lives.
  static constexpr std::size_t kMostEnded = 4096;
  /// A service is over by a process that ended badly if the last of the others leaves within this time; systemd ends
  /// them. Before that it may have been a command that only reloads it.
  static constexpr std::chrono::seconds kOverBy{10};
  /// So many bad ends are remembered for that time, and the last good ends of so many services.
  static constexpr std::size_t kMostFailed = 4096;
  /// How long the names are asked again before the cgroup counts as what is known by then.
  static constexpr std::chrono::seconds kPatience{10};

  /// Workloads of which nothing exists any more are forgotten after `keep`, or when kMostEnded have ended after them.
  explicit UsageLedger(std::chrono::milliseconds keep) : keep_(keep) {}

  /// A container that is just ending, or a workload whose last process has ended; for a moment its cgroup is still
  /// there.
  struct Ending {
    WorkloadName name;
    std::string top;  ///< CgroupNaming::top
  };
  /// A container that is just beginning, whose name may not be known yet.
  struct Beginning {
    std::string top;        ///< CgroupNaming::top
    std::uint64_t pid = 0;  ///< pid of its first process
  };
  struct Turns {
    std::vector<Beginning> began;
    std::vector<Ending> ended;
  };
  /// Takes the pending events, and returns what has begun and what has ended, as far as its owner is known at once;
  /// each once. Also returns what a round has found since the last call.
  [[nodiscard]] Turns take_turns(stats::UsageSource& source, CgroupNames& names, Clock::time_point now);

  /// Reads all anew.
  [[nodiscard]] Status round(stats::UsageSource& source, CgroupNames& names, Clock::time_point now);

  /// By name. While a cgroup's name is still being asked for, what it used is in no workload yet.
  [[nodiscard]] const std::map<WorkloadName, Workload>& workloads() const { return workloads_; }

  /// What has ended since the last call, each as soon as its owner is known.
  [[nodiscard]] Ends take_ended() { return std::exchange(ends_, {}); }

  [[nodiscard]] std::size_t cgroups() const { return cgroups_.size(); }
  /// How many cgroups have a number: their usage is told apart.
  [[nodiscard]] std::size_t numbered() const;
  /// Workloads that were forgotten before their time.
  [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }
  /// How often it could not be seen which cgroups exist: one that began unseen is then reported without a name while it
  /// runs.
  [[nodiscard]] std::uint64_t failed_walks() const { return failed_walks_; }

 private:
  struct Cgroup {
    explicit Cgroup(Clock::time_point first) : since(first) {}

    std::string path;  // empty: not known
    std::optional<std::uint32_t> group;
    bool at_rest = false;       // its processes were there before flowtapd, and have not run since
    stats::GroupUsage counted;  // the part of its usage that its workload has
    std::optional<CgroupNaming> naming;
    Clock::time_point since;                // when it was first heard of
    std::optional<Clock::time_point> gone;  // when its end was heard of
    // Of which nobody was told yet:
    std::optional<stats::ProcessEnd> ended;
    std::uint64_t oom_kills = 0;
    stats::ProcessEnd last_kill;
    // Only for settled cgroups. The workload is not forgotten as long as this cgroup exists and counts.
    Workload* workload = nullptr;
    bool is_top = false;  // its top is among the workload's tops

    void add_kill(stats::ProcessEnd end) {
      ++oom_kills;
      last_kill = std::move(end);
    }
    // A cgroup that never had a process needs no name; there are many (slices, pods, what systemd prepares).
    [[nodiscard]] bool counts() const { return group || at_rest; }
    [[nodiscard]] bool settled(Clock::time_point now) const {
      return naming && (naming->complete || gone || now - since >= kPatience);
    }
  };
  using Cgroups = std::unordered_map<std::uint64_t, Cgroup>;  // by id

  void note(stats::CgroupEvent event, Clock::time_point now);
  // An event of a cgroup: its container's first process began or ended, the last process left, or another ended.
  struct Turn {
    std::uint64_t id = 0;
    std::optional<std::uint64_t> began;
    bool first = false;
    std::optional<stats::ProcessEnd> process;
  };
  void take_events(stats::UsageSource& source, Clock::time_point now);
  void take_process_turn(Cgroup& cgroup, const stats::ProcessEnd& end, Clock::time_point now);
  void note_well(const std::string& top, const stats::ProcessEnd& end, Clock::time_point now);
  void end_service(const Cgroup& cgroup, CgroupNames& names, Clock::time_point now);
  /// Whether no bad end of its last run can have gone unseen.
  [[nodiscard]] bool is_seen(const Cgroup& cgroup, Clock::time_point now) const;
  void forget_ends(Clock::time_point now);
  void tell_ends(Cgroup& cgroup, CgroupNames& names);
  void set_gone(Cgroup& cgroup, Clock::time_point now);
  void leave(Cgroup& cgroup);
  /// Looks at all that exist, and so finds those that nobody reported.
  [[nodiscard]] Status walk(CgroupNames& names, Clock::time_point now);
  static void ask(Cgroups::value_type& cgroup, CgroupNames& names, Clock::time_point now);
  [[nodiscard]] Workload& workload_of(Cgroup& cgroup);
  void add(Cgroup& cgroup, const stats::GroupUsage& now);
  void note_living(Clock::time_point now);
  void forget_old(Clock::time_point now);

  std::chrono::milliseconds keep_;
  Cgroups cgroups_;
  std::map<WorkloadName, Workload> workloads_;
  Ends ends_;
  // Processes of services that did not end well in the last kOverBy, by the service's own cgroup.
  std::multimap<std::string, stats::ProcessEnd> failed_;
  std::map<std::string, stats::ProcessEnd> well_;  // the last one of each that did
  std::optional<Clock::time_point>
      unseen_;  // until when ends may have gone unseen: the first look, or a loss
  std::vector<Turn> turns_;
  std::uint64_t forgotten_ = 0;
  std::uint64_t failed_walks_ = 0;
  stats::GroupUsage unnumbered_;  // the part of it that the workloads have
  bool tops_changed_ = true;      // one of the tops is gone
  bool missed_ = true;            // events were missed; at the start all were
};

}  // namespace flowtap::telemetry
