#include "explain/explain_component.hpp"

namespace flowtap {

// Without the stream path there is nothing to read; if that path is off on purpose, nothing is missing.
void ExplainComponent::run() {
  if (!options_.enabled) return;
  if (!stream_.enabled())
    return shared_.node.set_diagnoses(
        fail("the stream path is off, and without it no scheduler's log is captured",
             "set stream: enabled: true in flowtapd's configuration"));
  Result<std::unique_ptr<ExplainPath>> started =
      fail("the stream path does not run, and without it no scheduler's log is captured",
           "flowtap status says why");
  if (StreamPath* stream = stream_.path())
    started = ExplainPath::start(stream->scheduler_flows(), options_.max_pods);
  if (!started) {
    shared_.node.set_diagnoses(std::unexpected(started.error()));
    return shared_.states.set(ExplainPath::kName, std::unexpected(started.error()), {});
  }
  path_ = std::move(*started);
  shared_.node.set_diagnoses(path_.get());
  shared_.states.set(ExplainPath::kName, {}, ExplainPath::kHow);
}

void ExplainComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  if (path_) path_->append_samples(out);
}

void ExplainComponent::reload() {
  if (path_)
    shared_.states.set(ExplainPath::kName, {}, ExplainPath::kHow);
  else
    run();
}

}  // namespace flowtap
