// What went through the networks of pods and containers, added up by name over their restarts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "stats/snapshot.hpp"
#include "telemetry/collecting/net_dev.hpp"
#include "telemetry/workloads/files/file_ledger.hpp"
#include "telemetry/workloads/first_process.hpp"

namespace flowtap::telemetry {

/// A network namespace is found through a process in it, and read through a file that stays open. So its last packets
/// are seen when the process has gone. The namespace may outlive that process, and another one come: then it goes on
/// from there. Runtimes start a container's process in the node's network before they move it: a process is looked at
/// again while its cgroup is young. Containers of one pod share their network: it is the pod's (a name without a
/// container). If others share one, it belongs to the first by name. The node's own is nobody's. Not thread-safe.
class NetworkLedger {
 public:
  using Clock = FileLedger::Clock;

  /// `proc`: the node's procfs.
  explicit NetworkLedger(std::string proc) : proc_(std::move(proc)) {}

  /// Reads what is due (FileLedger::kEvery), and forgets what `files` no longer has. What could not be read is added to
  /// `unread`.
  void round(const FileLedger& files, Clock::time_point now, std::uint64_t& unread);

  /// Keeps the network of a container's first process that has just begun, so that it is known even if the container
  /// ends before the next round. Beyond kMostBegun in a moment, and without a name within kUnclaimed, only a round
  /// finds it.
  void begin(const std::string& top, std::uint64_t pid, Clock::time_point now, std::uint64_t& unread);
  static constexpr std::size_t kMostBegun = 1024;
  static constexpr std::chrono::minutes kUnclaimed{1};

  /// Reads the network of the cgroup at `top` once more, whose last process has just ended: its runtime removes the
  /// devices soon.
  void read_last(const WorkloadName& name, const std::string& top, Clock::time_point now,
                 std::uint64_t& unread);

  /// When the oldest of its known processes started; seconds since 1970.
  [[nodiscard]] std::optional<double> started(const FileLedger::Entry& entry) const;

  void append_series(std::vector<stats::Series>& out) const;

 private:
  struct Network {
    WorkloadName whose;
    Fd net_dev;                              // none while nobody is known to be in it;
    Fd left;                                 // then this keeps the number: keep_number()
    std::map<std::string, NetNumbers> last;  // by device
    Clock::time_point first;
    Clock::time_point due;
    std::uint64_t seen = 0;  // round
  };
  struct Process {
    FirstProcess process;
    Clock::time_point due;  // when to look at it again
    std::uint64_t seen = 0;
  };
  struct Begun {
    FirstProcess process;
    Clock::time_point at;
  };
  struct Device {
    stats::Labels labels;
    NetNumbers total{};
  };
  struct Totals {
    std::map<std::string, Device> devices;
    std::uint64_t seen = 0;
  };

  [[nodiscard]] bool knows_hosts();
  void look(Process& known, std::uint64_t pid, bool young, Clock::time_point now, std::uint64_t& unread);
  void see(const WorkloadName& name, FirstProcess& process, Clock::time_point now);
  void read(Network& network, std::uint64_t& unread);
  void add(Network& network, std::string_view text, std::uint64_t& unread);

  std::string proc_;
  std::optional<NetworkId> hosts_;
  std::uint64_t round_ = 0;
  std::string buffer_ = std::string(std::size_t{4} << 10U, '\0');
  std::unordered_map<std::string, Process> processes_;  // by their cgroup's path
  std::unordered_map<std::string, Begun> begun_;        // alike
  std::map<NetworkId, Network> networks_;
  std::map<WorkloadName, Totals> totals_;
};

}  // namespace flowtap::telemetry
