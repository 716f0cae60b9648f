// The component "stream": the stream path.
#pragma once

#include <memory>
#include <optional>

#include "daemon/components/component.hpp"
#include "identity/named_containers.hpp"
#include "stream/stream_path.hpp"
#include "telemetry/workload_logs.hpp"

namespace flowtap {

class StreamComponent final : public Component {
 public:
  /// `named` learns which containers there are, and `logs` what is written to their flows.
  StreamComponent(Shared& shared, std::shared_ptr<NamedContainers> named, std::shared_ptr<WorkloadLogs> logs)
      : shared_(shared), named_(std::move(named)), logs_(std::move(logs)) {}

  void open() override;
  void run() override;
  void look_around() override;
  void report(api::StatusReport& status) override;
  void append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) override;
  void reload(const Config& old) override;
  [[nodiscard]] std::string sentence() const override {
    return path_ ? "captures what containers write" : "";
  }
  /// What is pinned goes on capturing. The process ends here if a file system does not answer.
  void stop() override;

  /// Null: the stream path does not run.
  [[nodiscard]] StreamPath* path() { return path_.get(); }

 private:
  /// Returns whether there were any warnings.
  bool log_warnings();
  void tell(const Status& running);

  Shared& shared_;
  std::shared_ptr<NamedContainers> named_;
  std::shared_ptr<WorkloadLogs> logs_;
  std::optional<Error> missing_;  // why it does not run, though it should
  std::unique_ptr<StreamPath> path_;
};

}  // namespace flowtap
