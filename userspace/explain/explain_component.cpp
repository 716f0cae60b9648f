#include "explain/explain_component.hpp"

#include <string>

namespace flowtap {
namespace {

std::string how(std::size_t logs) {
  if (logs == 0) return "reads no log yet: nothing is captured that stream.schedulers names";
  return logs == 1 ? "reads one scheduler's log"
                   : "reads the logs of " + std::to_string(logs) + " schedulers";
}

}  // namespace

// Without the stream path there is nothing to read; if that path is off on purpose, nothing is missing.
void ExplainComponent::run() {
  if (!options_.enabled) return;
  if (!stream_.enabled())
    return shared_.node.set_diagnoses(
        fail("the stream path is off, and without it no scheduler's log is captured",
             "set stream.enabled to true in flowtapd's configuration, and restart it"));
  Result<std::unique_ptr<ExplainPath>> started =
      fail("the stream path does not run, and without it no scheduler's log is captured",
           "mend what keeps the component stream from running: status and log say what that is");
  if (StreamPath* stream = stream_.path())
    started = ExplainPath::start(stream->scheduler_flows(), options_.max_pods);
  if (!started) {
    shared_.node.set_diagnoses(std::unexpected(started.error()));
    return health_.set(ExplainPath::kName, std::unexpected(started.error()), {});
  }
  path_ = std::move(*started);
  shared_.node.set_diagnoses(path_.get());
  health_.set(ExplainPath::kName, {}, how(path_->logs()));
}

void ExplainComponent::report(api::StatusReport& /*status*/) {
  if (path_) health_.set(ExplainPath::kName, {}, how(path_->logs()));
}

void ExplainComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  if (path_) path_->append_samples(out);
}

void ExplainComponent::take_options() {
  if (!path_) return run();
  health_.set(ExplainPath::kName, {}, how(path_->logs()));
}

}  // namespace flowtap
