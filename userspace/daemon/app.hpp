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
#include "daemon/count_path.hpp"
#include "daemon/events.hpp"
#include "daemon/flags.hpp"
#include "daemon/node_lock.hpp"
#include "daemon/node_state.hpp"
#include "daemon/outlets.hpp"
#include "daemon/process_stats.hpp"
#include "stats/registry.hpp"

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

  void start_count();
  void start_api();
  void start_outlets(const stats::SnapshotPtr& told);
  void take_counts();
  void cycle();
  void reload();
  void stop();
  void look_around();
  [[nodiscard]] std::vector<stats::Series> samples() const;
  [[nodiscard]] api::StatusReport report();
  [[nodiscard]] std::vector<api::ProgramStatus> programs();
  [[nodiscard]] std::string sentence() const;
  void component(const std::string& name, const Status& status, std::string detail);

  Config config_;
  NodeLock lock_;
  Events events_;
  std::function<Result<Invocation>()> reread_;
  stats::Registry registry_;
  NodeState state_;
  std::map<std::string, api::ComponentStatus> components_;
  std::unique_ptr<CountPath> count_;
  Outlets outlets_;
  std::optional<api::ApiServer> api_;
  ReadErrors read_errors_{
      {"bpf_program", 0}, {"process", 0}, {"task_records", 0}, {"topology", 0}};  // all there are
  stats::HistogramValue cycle_durations_;
  std::uint64_t cycles_ = 0;
  std::optional<double> last_cycle_seconds_;
  std::vector<stats::Series> process_;
  std::vector<api::ProgramStatus> programs_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace flowtap
