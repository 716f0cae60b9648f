// How containers and services ended, each the last time, also before flowtapd was started again.
#pragma once

#include <chrono>
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
  /// It remembers at most this many, about 0.5 KiB each. The one that was noted longest ago goes first.
  static constexpr std::size_t kMost = 4096;
  /// Of several containers outside of pods with the same name, it remembers this many of the newest ones: two users or
  /// two runtimes may each have one of this name, and one that is made anew again and again must not push out all
  /// others.
  static constexpr std::size_t kMostOfAName = 16;

  /// Takes in what the file has, and from then on keeps it up to date in save(). An Error says what of it could not be
  /// read; the rest is there. Call it before any other thread asks.
  [[nodiscard]] Status keep_in(std::string path);

  /// `flow_at` says which flow had a container's output at a time; `first` is the id of the flow of its first run. Call
  /// it before any other thread asks. Without it, each container had one run.
  using FlowAt = std::function<std::string(const std::string& first, EndRecord::Time time)>;
  void know_runs(FlowAt flow_at) { flow_at_ = std::move(flow_at); }

  /// A pod's sandbox is left out, because it is always killed when the pod ends. Processes of the host are left out as
  /// well, because they have no name by which anybody could ask.
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
  using Clock = std::chrono::steady_clock;
  /// A container in a pod and a service have one record, whatever instance they are: `id` is empty. Nothing else tells
  /// containers in no pod apart from others of their name.
  struct Key {
    WorkloadName name;
    std::string id;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    EndRecord record;
    std::uint64_t number = 0;
    std::optional<Clock::time_point>
        ended;  // the record's end; absent: there is none, or it was there before flowtapd
  };

  void note(EndedContainer ended);
  void note(EndedService ended);
  void note(OomKills kills);
  static void end(Entry& entry, Clock::time_point time, EndRecord::End end);
  static Key key_of(const WorkloadName& name, const std::string& id);
  static Key key_of(const EndRecord& record);
  /// What has this key, which is now the newest.
  Entry& touch(const Key& key);
  void put(EndRecord record);
  void forget(const Key& key);
  void make_room_beside(const Key& key);
  [[nodiscard]] std::vector<EndRecord> changed_records() const;

  mutable std::mutex mutex_;
  std::map<Key, Entry> by_key_;
  std::map<std::uint64_t, Key> by_number_;  // in the order in which they came
  std::uint64_t numbers_ = 0;
  std::set<Key> changed_;  // what the file does not have yet
  std::optional<Error> unsaved_;
  FlowAt flow_at_;
  std::mutex file_mutex_;  // taken before the other one
  std::optional<EndsFile> file_;
};

}  // namespace flowtap::telemetry
