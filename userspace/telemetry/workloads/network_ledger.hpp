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

/// A network namespace is found through a process of whoever is in it, and read through a file that stays open. So its last
/// packets are seen when the process has gone. It may outlive that, and another process come: it goes on from there then.
/// Runtimes start a container's process in the node's network before they move it: a process is looked at again while its
/// cgroup is young. Containers of one pod share theirs: it is the pod's (a name without a container); of others that share one
/// it is that of the first by name. The node's own is nobody's. Not thread-safe.
class NetworkLedger {
 public:
  using Clock = FileLedger::Clock;

  /// `proc`: the node's procfs.
  explicit NetworkLedger(std::string proc) : proc_(std::move(proc)) {}

  /// Reads what is due (FileLedger::kEvery), and forgets what `files` has no more. What could not be read is added to
  /// `unread`.
  void round(const FileLedger& files, Clock::time_point now, std::uint64_t& unread);

  /// Keeps the network of a container's first process that has just begun, so that one is known that ends before the next
  /// round. Of more than kMostBegun in a moment, and of one that has no name in kUnclaimed, only a round knows.
  void begin(const std::string& top, std::uint64_t pid, Clock::time_point now, std::uint64_t& unread);
  static constexpr std::size_t kMostBegun = 1024;
  static constexpr std::chrono::minutes kUnclaimed{1};

  /// Reads once more what somebody was in whose cgroup at `top` has just ended: its runtime removes the devices soon.
  void read_last(const WorkloadName& name, const std::string& top, Clock::time_point now,
                 std::uint64_t& unread);

  /// When the oldest of its processes that are known started; seconds since 1970.
  [[nodiscard]] std::optional<double> started(const FileLedger::Entry& entry) const;

  void append_series(std::vector<stats::Series>& out) const;

 private:
  struct Network {
    WorkloadName whose;
    Fd net_dev;                              // none while nobody is known to be in it,
    Fd left;                                 // and then keep_number()
    std::map<std::string, NetNumbers> last;  // by device
    Clock::time_point first;
    Clock::time_point due;
    std::uint64_t seen = 0;  // round
  };
  struct Process {
    FirstProcess process;
    Clock::time_point due;  // to be looked at again
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
