// The service: the one place where the concrete types meet.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/server.hpp"
#include "count/count_path.hpp"
#include "count/sched_ext_watch.hpp"
#include "count/scheduler_path.hpp"
#include "count/scx_stats.hpp"
#include "daemon/components.hpp"
#include "daemon/config/flags.hpp"
#include "daemon/cycle_times.hpp"
#include "daemon/events.hpp"
#include "daemon/node_lock.hpp"
#include "daemon/node_state.hpp"
#include "daemon/outlets.hpp"
#include "daemon/process_stats.hpp"
#include "explain/explain_path.hpp"
#include "stats/registry.hpp"
#include "stream/stream_path.hpp"
#include "telemetry/cycle_counting.hpp"
#include "telemetry/telemetry_path.hpp"

namespace flowtap {

/// Everything runs on the thread that calls run(), but for the API and one thread per backend.
class App {
 public:
  /// Takes the node's lock and starts what the configuration asks for. Parts that cannot start are told in
  /// the log and in the status; an Error means that nothing useful can run. `reread` reads the command line
  /// and its file again.
  [[nodiscard]] static Result<std::unique_ptr<App>> start(Config config,
                                                          std::function<Result<Invocation>()> reread);

  /// Cycles until it is told to stop; ends all within 5 s.
  void run();

 private:
  App(Config config, NodeLock lock, Events events, std::function<Result<Invocation>()> reread);

  static constexpr const char* kApi = "api";  // the component's name
  static constexpr const char* kApiTcp = "api_tcp";

  void start_count();
  void choose_hierarchy();
  void start_scheduler();
  void tell_of_scheduler();
  void open_stream();
  void run_stream();
  void start_telemetry();
  void tell_of_telemetry();
  void start_explain();
  void start_api();
  void tell_of_api();
  /// Absent: the API is not asked for over TCP.
  [[nodiscard]] std::optional<api::TcpOptions> tcp_options() const;
  void start_outlets(const stats::SnapshotPtr& told);
  void cycle();
  void reload();
  void reload_counts(const Config& old);
  void stop();
  void look_around();
  void look_at_sched_ext();
  [[nodiscard]] std::vector<stats::Series> samples() const;
  [[nodiscard]] api::StatusReport report();
  [[nodiscard]] std::string sentence() const;
  void append_exits(std::vector<stats::Series>& out) const;

  Config config_;
  NodeLock lock_;
  Events events_;
  std::function<Result<Invocation>()> reread_;
  stats::Registry registry_;
  NodeState state_;
  Components components_;
  CycleCounting cycles_;
  Result<identity::UsageHierarchy> hierarchy_;  // of what the programs count, as long as they do
  std::unique_ptr<CountPath> count_;
  std::unique_ptr<SchedulerPath> scheduler_;
  std::map<std::string_view, std::uint64_t> scheduler_exits_;  // of those before, by kind
  SchedExtWatch sched_ext_;
  ScxStats scx_stats_;
  std::shared_ptr<NamedContainers> named_ = std::make_shared<NamedContainers>();
  std::shared_ptr<WorkloadLogs> workload_logs_ = std::make_shared<WorkloadLogs>();
  std::shared_ptr<telemetry::ContainerEnds> container_ends_ = std::make_shared<telemetry::ContainerEnds>();
  std::unique_ptr<TelemetryPath> telemetry_;
  std::optional<Error> stream_missing_;   // why it does not run, though it should
  std::unique_ptr<StreamPath> stream_;    // before the API, whose readers read from it
  std::unique_ptr<ExplainPath> explain_;  // reads from it, too
  Outlets outlets_;
  std::shared_ptr<api::ApiCounts> api_counts_ = std::make_shared<api::ApiCounts>();
  std::optional<api::ApiServer> api_;
  std::string kube_trouble_;  // that was told last
  ReadErrors read_errors_{
      {"bpf_program", 0},   {"log_ring", 0},     {"process", 0}, {SchedExtWatch::kWhat, 0},
      {ScxStats::kName, 0}, {"task_records", 0}, {"topology", 0}};  // all there are
  CycleTimes times_;
  std::vector<stats::Series> process_;
};

}  // namespace flowtap
