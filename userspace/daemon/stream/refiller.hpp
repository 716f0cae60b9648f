// Gaps in the logs of flows, filled from what the containers' runtimes have kept.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/bell.hpp"
#include "daemon/stream/runtime_history.hpp"
#include "flow/store/flow_store.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

/// What became of bytes that were missing. The words stand in metrics.
enum class RefillResult : std::uint8_t {
  kExact,        ///< found, exactly as many as were missing, between the bytes that were captured
  kApproximate,  ///< the best match, and marked so in the flow's file
  kUnfilled,     ///< what the runtime has kept does not tell
  kNoSource,     ///< the runtime keeps no file that can be read
  kNoRoom,       ///< newer lines would have to go for them
};
constexpr std::size_t kRefillResults = 5;
[[nodiscard]] std::string_view to_string(RefillResult result);

/// How long the runtime's file is waited for.
constexpr std::chrono::milliseconds kRefillPatience{5000};
/// How long somebody who follows waits for a gap to be filled. What is found later reaches the store only.
constexpr std::chrono::milliseconds kFollowerPatience{1000};

/// Works on a thread of its own, a flow at a time, so that neither capture nor the pipeline waits for a file.
class Refiller {
 public:
  /// Both must outlive it.
  Refiller(flow::FlowStore& store, const RuntimeHistory& history);
  ~Refiller();
  Refiller(const Refiller&) = delete;
  Refiller& operator=(const Refiller&) = delete;

  void append_samples(std::vector<stats::Series>& out) const;

 private:
  using Clock = Bell::Clock;

  struct Job {
    Clock::time_point due;
    Clock::time_point until;
    std::chrono::milliseconds pause;
  };

  using Jobs = std::map<std::string, Job>;  // by the flow's id

  void run() noexcept;
  [[nodiscard]] Jobs::iterator next_job();
  [[nodiscard]] bool wait();
  void take_new(Clock::time_point now);
  void work(const std::string& id, Job& job, Clock::time_point now);

  flow::FlowStore& store_;
  const RuntimeHistory& history_;
  Jobs jobs_;
  std::map<std::string, std::array<std::uint64_t, 2>> decided_;  // gaps of each output before this time
  Clock::time_point rest_{};                                     // others have the processor until then
  std::array<std::atomic<std::uint64_t>, kRefillResults> bytes_{};
  Bell bell_;  // rings when there are new gaps
  std::thread thread_;
};

}  // namespace flowtap
