#include "daemon/app.hpp"

#include <spdlog/spdlog.h>

#include <ranges>

#include "api/api_component.hpp"
#include "base/node/kernel_release.hpp"
#include "count/count_component.hpp"
#include "count/sched_ext_component.hpp"
#include "count/scheduler_component.hpp"
#include "daemon/notify.hpp"
#include "daemon/outlets_component.hpp"
#include "daemon/places/state_dir.hpp"
#include "daemon/seccomp.hpp"
#include "daemon/self_samples.hpp"
#include "explain/explain_component.hpp"
#include "identity/named_containers.hpp"
#include "stream/stream_component.hpp"
#include "telemetry/process_component.hpp"
#include "telemetry/telemetry_component.hpp"
#include "telemetry/workload_logs.hpp"

namespace flowtap {
namespace {

using Clock = std::chrono::steady_clock;

// Everything but the slots is read this often, however short or long the cycle is.
constexpr std::chrono::milliseconds kLookPeriod{1000};

}  // namespace

App::App(Config config, NodeLock lock, Events events, std::function<Result<Invocation>()> reread)
    : places_(std::move(lock), config.state_dir),
      events_(std::move(events)),
      reread_(std::move(reread)),
      config_(std::move(config)),
      shared_{.host_root = config_.host_root,
              .state_dir = config_.state_dir,
              .registry =
                  stats::Registry(config_.metrics.max_series_per_family, std::chrono::system_clock::now())} {
  add_components();
}

void App::add_components() {
  const auto named = std::make_shared<NamedContainers>();
  const auto logs = std::make_shared<WorkloadLogs>();
  const auto written_by = [logs](const std::string& flow) { return logs->written_by(flow); };
  components_.add<ProcessComponent>(shared_);
  auto& count = components_.add<CountComponent>(shared_, config_.count, config_.telemetry, config_.cycle);
  components_.add<SchedExtComponent>(shared_);
  components_.add<SchedulerComponent>(shared_, config_.scheduler, count);
  auto& stream = components_.add<StreamComponent>(shared_, config_.stream, named, written_by);
  components_.add<TelemetryComponent>(shared_, config_.telemetry, config_.outlets.prometheus.compat_metrics,
                                      config_.stream.runtimes, count, named, logs);
  components_.add<ExplainComponent>(shared_, config_.explain, stream);
  components_.add<ApiComponent>(shared_, config_.api);
  components_.add<OutletsComponent>(shared_, config_.outlets, given_up_);
}

Result<std::unique_ptr<App>> App::start(Config config, std::function<Result<Invocation>()> reread) {
  FTAP_TRY_ASSIGN(lock, NodeLock::take(config.host_root, config.state_dir));
  FTAP_TRY(make_state_dir(config.state_dir));
  // This must come before the first thread, which inherits the blocked signals.
  FTAP_TRY_ASSIGN(events, Events::open(config.cycle, kLookPeriod));
  std::unique_ptr<App> app(new App(std::move(config), std::move(lock), std::move(events), std::move(reread)));
  app->components_.start(&Component::open, "opened");
  // The programs are attached now, and no thread has begun that would keep all rights.
  FTAP_TRY_ASSIGN(given_up, drop_privileges(app->config_));
  app->given_up_ = given_up;
  app->own_health_.set(kSeccomp, refuse_system_calls(),
                       "system calls that only an intruder would make are refused");
  app->components_.start(&Component::run, "started");
  app->health().log_missing();
  FTAP_TRY(app->components_.can_be_seen());
  return app;
}

void App::run() {
  look_around();
  cycle();
  shared_.node.set_ready();
  if (const auto period = watchdog_period()) events_.set_watchdog(*period);
  notify_ready(sentence());
  spdlog::info("flowtapd {} {}", FLOWTAP_VERSION, sentence());
  while (true) {
    switch (events_.wait()) {
      case Event::kTick:
        cycle();
        break;
      case Event::kLook:
        look_around();
        break;
      case Event::kWatchdog:
        notify_watchdog();
        break;
      case Event::kReload:
        reload();
        break;
      case Event::kStop:
        return stop();
    }
  }
}

std::string App::sentence() const {
  return components_.sentence() + health().missing();
}

ComponentStates App::health() const {
  ComponentStates all = components_.health();
  all.add(own_health_);
  return all;
}

void App::look_around() {
  places_.keep(own_health_);
  for (const auto& component : components_) component->look_around();
}

void App::cycle() {
  const auto begin = Clock::now();
  places_.keep(own_health_);  // a cycle may be shorter than the time between two looks
  for (const auto& component : components_) component->take();
  auto status = report();
  std::vector<stats::Series> all;
  times_.append(all);
  append_self_samples(all, status);
  Component::Earlier earlier;
  for (const auto& component : components_) {
    component->append_samples(all, status);
    if (const auto own = component->earlier(); own.measured) earlier = own;
  }
  const auto snapshot =
      shared_.registry.publish(std::move(all), earlier.measured, earlier.series, earlier.for_compat);
  for (const auto& component : components_) component->offer(snapshot);
  shared_.node.publish(std::move(status), snapshot);
  times_.add(Clock::now() - begin);
}

api::StatusReport App::report() {
  api::StatusReport status;
  status.version = FLOWTAP_VERSION;
  status.kernel = kernel_release();
  status.count.cycle_seconds = std::chrono::duration<double>(config_.cycle).count();
  times_.report(status.count);
  for (const auto& component : components_) component->report(status);
  status.components = health().all();
  for (const auto& [what, count] : shared_.read_errors) status.read_errors.push_back({what, count});
  return status;
}

void App::stop() {
  notify_stopping();
  for (const auto& component : components_) component->halt();
  cycle();
  for (const auto& component : std::views::reverse(components_)) component->stop();
  spdlog::info("flowtapd ends");
}

}  // namespace flowtap
