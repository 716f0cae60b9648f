// What the API's thread may see of the node at any time.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "component/views/views.hpp"

namespace flowtap {

/// The main thread publishes and the API's thread reads; neither waits longer than a copy takes.
class NodeState final : public api::NodeView {
 public:
  /// Who knows how containers and services ended.
  struct Ends {
    std::function<api::Exits(const std::string& ns, const std::string& pod)> of_pod;
    std::function<api::Exits(const std::string& name)> called;
  };

  NodeState() : start_(std::chrono::steady_clock::now()) {}

  void publish(api::StatusReport status, stats::SnapshotPtr snapshot);
  /// Sets what /api/v1/flows shows; it must outlive the API.
  void set_flows(api::FlowsView* flows);
  /// Says why there are no flows, though there should be.
  void set_no_flows(Error why);
  /// Sets what /api/v1/schedulerlogs shows; it must outlive the API. An Error says why nothing is explained.
  void set_diagnoses(Result<api::DiagnosesView*> diagnoses);
  /// Sets the source of how containers ended. It may be asked from any thread; call this before the API starts.
  void set_ends(Ends ends) { ends_ = std::move(ends); }
  /// /readyz answers 503 until this is called.
  void set_ready();

  [[nodiscard]] api::StatusReport status() const override;
  [[nodiscard]] stats::SnapshotPtr snapshot() const override;
  [[nodiscard]] Status ready() const override;
  [[nodiscard]] api::Exits exits(const std::string& ns, const std::string& pod) const override;
  [[nodiscard]] api::Exits exits_of(const std::string& name) const override;
  [[nodiscard]] Result<api::FlowsView*> flows() const override;
  [[nodiscard]] Result<api::DiagnosesView*> diagnoses() const override;

 private:
  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point start_;
  api::StatusReport status_;
  stats::SnapshotPtr snapshot_;
  api::FlowsView* flows_ = nullptr;
  std::optional<Error> no_flows_;
  std::optional<Result<api::DiagnosesView*>> diagnoses_;  // absent: switched off
  Ends ends_;
  bool ready_ = false;
};

}  // namespace flowtap
