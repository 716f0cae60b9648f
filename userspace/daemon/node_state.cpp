#include "daemon/node_state.hpp"

#include <sys/wait.h>

namespace flowtap {

namespace {

api::ContainerExit exit_of(const telemetry::EndedContainer& ended) {
  const auto age = std::chrono::steady_clock::now() - ended.end.time;
  api::ContainerExit exit{.container = ended.name.container,
                          .flow = ended.flow,
                          .time = std::chrono::system_clock::now() -
                                  std::chrono::duration_cast<std::chrono::system_clock::duration>(age),
                          .code = std::nullopt,
                          .signal = std::nullopt,
                          .oom = ended.end.oom};
  if (WIFSIGNALED(ended.end.status))
    exit.signal = static_cast<unsigned>(WTERMSIG(ended.end.status));
  else
    exit.code = static_cast<unsigned>(WEXITSTATUS(ended.end.status));
  return exit;
}

}  // namespace

std::vector<api::ContainerExit> NodeState::exits(const std::string& ns, const std::string& pod) const {
  std::vector<api::ContainerExit> all;
  if (!ends_) return all;
  for (const telemetry::EndedContainer& ended : ends_->of_pod(ns, pod)) all.push_back(exit_of(ended));
  return all;
}

void NodeState::publish(api::StatusReport status, stats::SnapshotPtr snapshot) {
  const std::scoped_lock lock(mutex_);
  status_ = std::move(status);
  snapshot_ = std::move(snapshot);
}

void NodeState::set_ready() {
  const std::scoped_lock lock(mutex_);
  ready_ = true;
}

void NodeState::set_flows(api::FlowsView* flows) {
  const std::scoped_lock lock(mutex_);
  flows_ = flows;
}

Result<api::FlowsView*> NodeState::flows() const {
  const std::scoped_lock lock(mutex_);
  if (flows_ != nullptr) return flows_;
  return NodeView::flows();
}

void NodeState::set_diagnoses(Result<api::DiagnosesView*> diagnoses) {
  const std::scoped_lock lock(mutex_);
  diagnoses_ = std::move(diagnoses);
}

Result<api::DiagnosesView*> NodeState::diagnoses() const {
  const std::scoped_lock lock(mutex_);
  return diagnoses_ ? *diagnoses_ : NodeView::diagnoses();
}

api::StatusReport NodeState::status() const {
  const std::scoped_lock lock(mutex_);
  api::StatusReport status = status_;
  status.uptime_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return status;
}

stats::SnapshotPtr NodeState::snapshot() const {
  const std::scoped_lock lock(mutex_);
  return snapshot_;
}

Status NodeState::ready() const {
  const std::scoped_lock lock(mutex_);
  if (ready_) return {};
  return fail("the first cycle has not run yet", "wait for one cycle");
}

}  // namespace flowtap
