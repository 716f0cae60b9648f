// The second half of the stream path: what the journal has becomes lines in the logs of flows, on a thread of its own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.hpp"
#include "base/threads/event_fd.hpp"
#include "identity/patterns/scheduler_match.hpp"
#include "stats/snapshot.hpp"
#include "stream/main_log/main_log_thread.hpp"
#include "stream/store/line_options.hpp"
#include "stream/store/pipeline.hpp"

namespace flowtap {

class LinePath {
 public:
  /// Goes on with the flows in `dir`, and takes what the journal has beyond them. The journal must outlive it.
  [[nodiscard]] static std::unique_ptr<LinePath> open(const std::string& dir, const LineOptions& options,
                                                      flow::Journal& journal,
                                                      flow::WrittenBy written_by = {});
  ~LinePath();
  LinePath(const LinePath&) = delete;
  LinePath& operator=(const LinePath&) = delete;

  /// Says what the kernel has lost of streams. Not after start().
  void know_losses(flow::KnownLosses losses) { losses_ = std::move(losses); }
  /// Begins to take what comes, in threads that have the rights that the caller has by then. Error: no thread was started.
  [[nodiscard]] Status start();
  /// Ends its threads, which may begin anew.
  void halt();
  /// Takes no more, and writes what was taken. Readers of the store may go on.
  void stop();

  [[nodiscard]] flow::FlowStore& store() { return *store_; }
  /// Whether the flow with this id is a scheduler's log. Safe from any thread.
  [[nodiscard]] bool is_scheduler(const std::string& flow) const { return schedulers_.matches(flow); }
  void append_samples(std::vector<stats::Series>& out) const;
  /// Rounds that failed for want of memory, since the last call.
  [[nodiscard]] std::uint64_t take_failures() { return failures_.exchange(0); }

 private:
  LinePath(flow::Journal& journal, flow::WrittenBy written_by)
      : journal_(journal), written_by_(std::move(written_by)) {}
  void run() noexcept;
  void end_thread();
  void round();

  flow::Journal& journal_;
  const flow::WrittenBy written_by_;
  flow::KnownLosses losses_;
  std::unique_ptr<flow::FlowStore> store_;
  [[nodiscard]] flow::SchedulerOptions scheduler_options() const;
  [[nodiscard]] flow::KnownLosses known_losses() const;

  LineOptions options_;
  flow::SchedulerMatch schedulers_;
  std::unique_ptr<MainLogThread> main_log_;  // empty: it is off
  bool begin_anew_ = true;
  std::unique_ptr<flow::Pipeline> pipeline_;
  std::shared_ptr<flow::Follower> follower_;
  mutable std::mutex stats_mutex_;
  flow::PipelineStats stats_;
  EventFd stop_;
  std::atomic<std::uint64_t> failures_{0};
  std::thread thread_;
};

}  // namespace flowtap
