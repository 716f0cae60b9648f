#include "telemetry/telemetry_component.hpp"

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

TelemetryComponent::TelemetryComponent(Shared& shared, const TelemetryOptions& options,
                                       identity::StateDirectories runtimes, UsageCounting& counting,
                                       std::shared_ptr<NamedContainers> named,
                                       std::shared_ptr<WorkloadLogs> logs)
    : shared_(shared),
      options_(options),
      runtimes_(std::move(runtimes)),
      counting_(counting),
      named_(std::move(named)),
      logs_(std::move(logs)) {
  shared_.node.set_exits([ends = ends_](const std::string& ns, const std::string& pod) {
    std::vector<api::ContainerExit> exits;
    for (const telemetry::EndedContainer& ended : ends->of_pod(ns, pod)) exits.push_back(exit_of(ended));
    return exits;
  });
}

void TelemetryComponent::run() {
  path_.reset();
  applied_ = options_;
  if (!applied_.enabled) return;
  auto usage = counting_.usage();
  path_ = TelemetryPath::start(applied_, std::move(usage),
                               {.host_root = shared_.host_root,
                                .runtimes = runtimes_,
                                .named = named_,
                                .logs = logs_,
                                .ends = ends_,
                                .why_no_cycles = counting_.why_no_cycles(),
                                .hierarchy = counting_.hierarchy()});
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
void TelemetryComponent::let_go() {
  if (counting_.changes()) path_.reset();
}

void TelemetryComponent::reload() {
  if (options_ != applied_ || !path_)
    run();
  else
    tell();
}

}  // namespace flowtap
