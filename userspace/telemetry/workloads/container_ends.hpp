// How containers and services ended, each the last time, also before flowtapd was started again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "telemetry/workloads/end_record.hpp"
#include "telemetry/workloads/ends_file.hpp"
#include "telemetry/workloads/usage_ledger.hpp"

namespace flowtap::telemetry {

/// Thread-safe.
class ContainerEnds {
 public:
  /// It remembers at most this many: the one of which the last thing was noted the longest ago goes first. About 0.5
  /// KiB each.
  static constexpr std::size_t kMost = 4096;

  /// Takes in what the file has, and from then on keeps it up to date in save(). An Error says what of it could not be
  /// read; the rest is there. Call it before any other thread asks.
  [[nodiscard]] Status keep_in(std::string path);

  /// Says which flow had the output at a time, where the id of that of a container's first run is known. Call it before any other
  /// thread asks. Without it, each container had one run.
  using FlowAt = std::function<std::string(const std::string& first, EndRecord::Time time)>;
  void know_runs(FlowAt flow_at) { flow_at_ = std::move(flow_at); }

  /// A container of a pod that only holds its namespaces is left out: these are killed as a matter of course, when all
  /// is over. What belongs to the host is left out as well: it has no name to ask by.
  void note(Ends ends);
  /// Writes what is new into the file, if there is one. If that fails, the next call tries again.
  void save();
  /// Why the file lacks something.
  [[nodiscard]] std::optional<Error> unsaved() const;

  /// What is known of a pod's containers, by container name.
  [[nodiscard]] std::vector<EndRecord> of_pod(std::string_view ns, std::string_view pod) const;
  /// The same for all containers that are in no pod, and for services.
  [[nodiscard]] std::vector<EndRecord> in_no_pod() const;
  /// The ends of runs of one container, and its kills, where `first` is the id of the flow of its first run.
  struct FlowEnd {
    std::string flow;
    EndRecord::Time time;
  };
  [[nodiscard]] std::vector<FlowEnd> of_runs(std::string_view first) const;

 private:
  struct Entry {
    EndRecord record;
    std::uint64_t number = 0;
  };

  void note(EndedContainer ended);
  void note(EndedService ended);
  void note(OomKills kills);
  static void end(EndRecord& record, EndRecord::End end);
  /// The record of this name, which is now the newest.
  EndRecord& touch(const WorkloadName& name);
  void put(EndRecord record);
  void forget(const WorkloadName& name);

  mutable std::mutex mutex_;
  std::map<WorkloadName, Entry> by_name_;
  std::map<std::uint64_t, WorkloadName> by_number_;  // in the order in which they came
  std::uint64_t numbers_ = 0;
  std::set<WorkloadName> changed_;  // what the file does not have yet
  std::optional<Error> unsaved_;
  FlowAt flow_at_;
  std::mutex file_mutex_;  // taken before the other one
  std::optional<EndsFile> file_;
};

}  // namespace flowtap::telemetry
