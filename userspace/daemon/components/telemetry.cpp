#include "daemon/components/telemetry.hpp"

namespace flowtap {

void TelemetryComponent::run() {
  path_.reset();
  const Config& config = shared_.config;
  if (!config.telemetry.enabled) return;
  auto usage = count_.usage();
  path_ = TelemetryPath::start(config.telemetry, std::move(usage),
                               {.host_root = config.host_root,
                                .runtimes = config.stream.runtimes,
                                .named = named_,
                                .logs = logs_,
                                .ends = ends_,
                                .why_no_cycles = count_.why_no_cycles(),
                                .hierarchy = count_.hierarchy()});
  tell();
}

void TelemetryComponent::tell() {
  shared_.states.set(TelemetryPath::kName, path_->health(), path_->how());
}

void TelemetryComponent::take() {
  if (path_) path_->collect(shared_.read_errors);
}

void TelemetryComponent::report(api::StatusReport& /*status*/) {
  if (path_) tell();
}

void TelemetryComponent::append_samples(std::vector<stats::Series>& out,
                                        const api::StatusReport& /*status*/) {
  if (path_) path_->append_samples(out);
}

Component::Earlier TelemetryComponent::earlier() const {
  if (!path_) return {};
  return {path_->measured(), path_->series()};
}

// It reads what the BPF programs add up.
void TelemetryComponent::let_go(const Config& next) {
  if (count_.changes(next)) path_.reset();
}

void TelemetryComponent::reload(const Config& old) {
  if (shared_.config.telemetry != old.telemetry || !path_)
    run();
  else
    tell();
}

}  // namespace flowtap
