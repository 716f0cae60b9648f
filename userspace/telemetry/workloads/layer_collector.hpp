// How much containers have written into their own layers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/collecting/collector.hpp"
#include "telemetry/workloads/files/directory_walk.hpp"
#include "telemetry/workloads/workload_name.hpp"

namespace flowtap::telemetry {

/// One process of each container, passed from the collector that knows them to the one that looks at their files.
/// Thread-safe.
class ProcessBoard {
 public:
  using Processes = std::map<WorkloadName, std::uint64_t>;

  /// Readers see another object only where something has changed.
  void post(Processes processes) {
    const std::scoped_lock lock(mutex_);
    if (processes != *processes_) processes_ = std::make_shared<const Processes>(std::move(processes));
  }
  [[nodiscard]] std::shared_ptr<const Processes> read() const {
    const std::scoped_lock lock(mutex_);
    return processes_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Processes> processes_ = std::make_shared<const Processes>();
};

/// Where the writable layer of the root in this mountinfo lies (overlay's upperdir), as the runtime gave it to the
/// kernel: a path of the node. Empty: it has none, or the path is in no runtime's storage, neither in the usual places
/// nor in one of `configured`. A container that mounts its own root may name any directory.
[[nodiscard]] std::string upper_directory(std::string_view mountinfo,
                                          std::span<const std::string> configured = {});

/// Looks through one container after the other, each once a minute, for a small part of the time, so that this
/// collector is done quickly and never takes more than that part of a CPU. A value is as old as the last time that its
/// container was looked through.
class LayerCollector final : public Collector {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds kEvery{60};
  static constexpr std::chrono::milliseconds kSlice{5};  ///< time spent in each cycle

  /// `storage`: where the runtimes of this node keep theirs, besides the usual places.
  LayerCollector(std::string host_root, std::string proc, std::shared_ptr<const ProcessBoard> board,
                 std::vector<std::string> storage = {})
      : host_root_(std::move(host_root)),
        proc_(std::move(proc)),
        storage_(std::move(storage)),
        board_(std::move(board)) {}

  [[nodiscard]] std::string_view name() const override { return "layers"; }
  void collect(Collected& out) override { collect(out, Clock::now()); }

  /// `now` may be another time than the present; the slice goes by the clock.
  void collect(Collected& out, Clock::time_point now);

 private:
  struct Layer {
    std::optional<DirectorySize> size;
    Clock::time_point due{};
    stats::Labels labels{};
  };

  void follow_board();
  /// False: nothing is due.
  [[nodiscard]] bool begin_next(Clock::time_point now);
  void finish(std::uint64_t& unread);

  std::string host_root_;
  std::string proc_;
  std::vector<std::string> storage_;
  std::shared_ptr<const ProcessBoard> board_;
  std::shared_ptr<const ProcessBoard::Processes> processes_;  // those of layers_
  std::map<WorkloadName, Layer> layers_;
  std::optional<DirectoryWalk> walk_;
  WorkloadName whose_;  // walk_
};

}  // namespace flowtap::telemetry
