// Fills gaps in the logs of flows from what the containers' runtimes have kept.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/bell.hpp"
#include "stats/snapshot.hpp"
#include "stream/repair/gaps/flow_gaps.hpp"
#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// How long a gap waits for the runtime's file.
constexpr std::chrono::milliseconds kRefillPatience{5000};
/// How long a follower waits for a gap to be filled. What is found later reaches only the store.
constexpr std::chrono::milliseconds kFollowerPatience{1000};

/// It works on a thread of its own, on one flow at a time, so that neither capture nor the pipeline waits for a file.
class Refiller {
 public:
  /// Both must outlive it.
  Refiller(flow::FlowStore& store, const Histories& histories);
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
  [[nodiscard]] bool is_done(const std::string& id, Job& job, Clock::time_point now) noexcept;
  [[nodiscard]] bool work(const std::string& id, Job& job, Clock::time_point now);

  flow::FlowStore& store_;
  const Histories& histories_;
  Jobs jobs_;
  std::map<std::string, GapsDecided> decided_;
  Clock::time_point rest_{};  // others have the processor until then
  std::array<std::atomic<std::uint64_t>, kRefillResults> bytes_{};
  Bell bell_;  // rings when there are new gaps
  std::thread thread_;
};

}  // namespace flowtap
