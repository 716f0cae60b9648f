// The explain path as one component: reads the logs of the configured schedulers as they come, and gives the answers made of
// them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "base/threads/bell.hpp"
#include "component/views/diagnosis_views.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"
#include "explain/record_form.hpp"
#include "stats/snapshot.hpp"
#include "stream/reading/flows_service.hpp"
#include "stream/reading/log_reader.hpp"

namespace flowtap {

/// Follows each scheduler's flow, from the first line that its runtime still has, on a thread of its own. Neither capture nor a
/// follower of a flow waits for it, and a restart of the service finds again what it had found.
class ExplainPath final : public api::DiagnosesView {
 public:
  static constexpr const char* kName = "explain";  ///< the component's

  [[nodiscard]] static Result<std::unique_ptr<ExplainPath>> start(const SchedulerFlows& from,
                                                                  std::size_t max_pods);
  ~ExplainPath() override;

  [[nodiscard]] std::optional<std::string> schedulerlog(const std::string& ns, const std::string& pod,
                                                        bool evidence) override;
  [[nodiscard]] std::vector<api::DiagnosedPod> pods(const std::string& ns) const override;
  [[nodiscard]] std::optional<api::DiagnosisEntry> entry(const api::DiagnosedPod& pod,
                                                         bool answer) const override;
  [[nodiscard]] std::size_t logs() const override;
  [[nodiscard]] std::uint64_t made_room() const override { return store_.evicted(); }

  void append_samples(std::vector<stats::Series>& out) const;

 private:
  /// One flow.
  struct Log {
    std::unique_ptr<LogReader> reader;  // empty: the flow has ended, or had to make room
    RecordForm* form = nullptr;         // the reader's form
    bool prepared = false;
    std::uint64_t read_to = 0;  // ns since 1970
    std::string scheduler;      // its name in metrics
    std::atomic<bool> ready{true};
  };

  ExplainPath(const SchedulerFlows& from, std::size_t max_pods) : from_(from), store_(max_pods) {}

  void run() noexcept;
  void round();
  void look_for_logs();
  void open(const std::string& id, Log& log);
  void read(Log& log);
  void close(Log& log);
  void note_counts();

  SchedulerFlows from_;
  diagnosis::DiagnosisStore store_;
  std::shared_ptr<flow::Follower> changes_;
  std::uint64_t seen_ = 0;  // the store's changes up to this one
  std::atomic<bool> changed_{true};
  std::map<std::string, Log> logs_;                    // by the flow's id
  std::map<std::string, diagnosis::LogCounts> ended_;  // by scheduler, for logs that are not read any more
  mutable std::mutex counts_mutex_;
  std::map<std::string, diagnosis::LogCounts> counts_;  // by scheduler
  std::size_t reading_ = 0;                             // how many logs
  Bell bell_;
  std::thread thread_;
};

}  // namespace flowtap
