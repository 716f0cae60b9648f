#include "telemetry/telemetry_component.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "base/wall_clock.hpp"
#include "component/log_error.hpp"
#include "component/views/called.hpp"
#include "stats/compat/compat.hpp"
#include "telemetry/idle_compat.hpp"

namespace flowtap {
namespace {

constexpr const char* kEndsFile = "/ends";

api::EndedInstance instance_of(const telemetry::WorkloadName& name, const std::string& id) {
  const bool is_unit = name.kind == telemetry::WorkloadKind::kUnit;
  return {.ns = name.ns, .pod = name.pod, .id = id, .unit = is_unit ? name.workload : ""};
}

api::ContainerExit exit_of(const telemetry::WorkloadName& name, const telemetry::EndRecord::End& end) {
  api::ContainerExit exit{.container = name.container,
                          .flow = end.flow,
                          .time = end.time,
                          .code = std::nullopt,
                          .signal = std::nullopt,
                          .oom = end.oom,
                          .started = end.started,
                          .success = end.success,
                          .process = end.process,
                          .of = instance_of(name, end.id)};
  if (!end.started) return exit;
  if (WIFSIGNALED(end.status))
    exit.signal = static_cast<unsigned>(WTERMSIG(end.status));
  else
    exit.code = static_cast<unsigned>(WEXITSTATUS(end.status));
  return exit;
}

api::Exits exits_from(const std::vector<telemetry::EndRecord>& records) {
  api::Exits exits;
  for (const telemetry::EndRecord& record : records) {
    if (record.end) exits.exits.push_back(exit_of(record.name, *record.end));
    if (const auto& kills = record.oom_kills)
      exits.oom_kills.push_back({.container = record.name.container,
                                 .flow = kills->flow,
                                 .time = kills->time,
                                 .count = kills->count,
                                 .process = kills->process,
                                 .of = instance_of(record.name, kills->id)});
  }
  return exits;
}

bool is_called(const telemetry::EndRecord& record, std::string_view name) {
  const auto has = [&](const auto& part) {
    return part && api::is_called({.container = record.name.container,
                                   .id = part->id,
                                   .unit = record.name.workload,
                                   .flow = part->flow},
                                  name);
  };
  return has(record.end) || has(record.oom_kills);
}

bool asks_for_cadvisor(const std::string& compat_metrics) {
  const auto exporters = stats::compat::parse_exporters(compat_metrics);
  return exporters && std::ranges::find(*exporters, stats::compat::Exporter::kCADVISOR) != exporters->end();
}

}  // namespace

TelemetryComponent::TelemetryComponent(Shared& shared, const TelemetryOptions& options,
                                       const std::string& compat_metrics, identity::StateDirectories runtimes,
                                       UsageCounting& counting, std::shared_ptr<NamedContainers> named,
                                       std::shared_ptr<WorkloadLogs> logs)
    : shared_(shared),
      options_(options),
      compat_metrics_(compat_metrics),
      runtimes_(std::move(runtimes)),
      counting_(counting),
      named_(std::move(named)),
      logs_(std::move(logs)) {
  keep_ends();
  shared_.node.set_ends(
      {.of_pod = [ends = ends_](const std::string& ns,
                                const std::string& pod) { return exits_from(ends->of_pod(ns, pod)); },
       .called =
           [ends = ends_](const std::string& name) {
             auto records = ends->in_no_pod();
             if (!name.empty())
               std::erase_if(
                   records, [&name](const telemetry::EndRecord& record) { return !is_called(record, name); });
             return exits_from(records);
           }});
}

void TelemetryComponent::run() {
  path_.reset();
  applied_ = options_;
  for_cadvisor_ = asks_for_cadvisor(compat_metrics_);
  if (const std::string idle = idle_compat(applied_, compat_metrics_); !idle.empty()) log_warning(idle);
  if (!applied_.enabled) return;
  auto usage = counting_.usage();
  path_ = TelemetryPath::start(applied_, std::move(usage),
                               {.host_root = shared_.host_root,
                                .runtimes = runtimes_,
                                .named = named_,
                                .logs = logs_,
                                .ends = ends_,
                                .why_no_cycles = counting_.why_no_cycles(),
                                .hierarchy = counting_.hierarchy(),
                                .for_cadvisor = for_cadvisor_});
  tell();
}

// Before any component opens: whatever else is gone of a run that is told to have ended, its id is no other run's, also where the
// telemetry is off.
void TelemetryComponent::keep_ends() {
  if (!shared_.state_dir.empty())
    if (const auto kept = ends_->keep_in(shared_.state_dir + kEndsFile); !kept) log_error(kept.error());
  ends_->know_runs([named = named_](const std::string& first, telemetry::EndRecord::Time time) {
    return named->runs().at(first, ns_of(time));
  });
  named_->runs().know_ends([of = std::weak_ptr(ends_)](std::string_view first) {
    std::vector<identity::RunEnd> known;
    if (const auto ends = of.lock())
      for (auto& [flow, time] : ends->of_runs(first)) known.push_back({std::move(flow), ns_of(time)});
    return known;
  });
}

void TelemetryComponent::tell() {
  std::string how = path_->how();
  if (const auto unsaved = ends_->unsaved())
    how += "; how containers ended would be lost with a restart: " + unsaved->what;
  health_.set(TelemetryPath::kName, path_->health(), std::move(how));
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
  return {path_->measured(), path_->series(), path_->for_compat()};
}

// It reads what the BPF programs add up.
void TelemetryComponent::let_go() {
  if (counting_.changes()) path_.reset();
}

void TelemetryComponent::take_options() {
  if (options_ != applied_ || asks_for_cadvisor(compat_metrics_) != for_cadvisor_ || !path_)
    run();
  else
    tell();
}

}  // namespace flowtap
