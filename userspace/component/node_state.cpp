#include "component/node_state.hpp"

namespace flowtap {

api::Exits NodeState::exits(const std::string& ns, const std::string& pod) const {
  return ends_.of_pod ? ends_.of_pod(ns, pod) : NodeView::exits(ns, pod);
}

api::Exits NodeState::exits_of(const std::string& name) const {
  return ends_.called ? ends_.called(name) : NodeView::exits_of(name);
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

void NodeState::set_no_flows(Error why) {
  const std::scoped_lock lock(mutex_);
  no_flows_ = std::move(why);
}

Result<api::FlowsView*> NodeState::flows() const {
  const std::scoped_lock lock(mutex_);
  if (flows_ != nullptr) return flows_;
  if (no_flows_) return std::unexpected(*no_flows_);
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
