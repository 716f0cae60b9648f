#include "daemon/app.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/on_host.hpp"
#include "daemon/log.hpp"
#include "daemon/notify.hpp"
#include "daemon/privileges.hpp"
#include "daemon/seccomp.hpp"
#include "daemon/self_samples.hpp"
#include "daemon/state_dir.hpp"
#include "kernel/requirements.hpp"
#include "kernel/sched_ext.hpp"
#include "stats/backends/address.hpp"

namespace flowtap {
namespace {

using Clock = std::chrono::steady_clock;

// What is read of the machine beside the slots is read this often, however short or long the cycle.
constexpr std::chrono::milliseconds kLookPeriod{1000};
constexpr std::chrono::milliseconds kStopLimit{3000};

std::string sysfs_of(const Config& config) {
  return on_host(config.host_root, "/sys");
}

// Followed files and readers of flows take many; the soft limit is low for the sake of select(2), which nothing here uses.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

App::App(Config config, NodeLock lock, Events events, std::function<Result<Invocation>()> reread)
    : config_(std::move(config)),
      lock_(std::move(lock)),
      events_(std::move(events)),
      reread_(std::move(reread)),
      registry_(config_.metrics.max_series_per_family, std::chrono::system_clock::now()),
      scx_stats_(on_host(config_.host_root, ScxStats::kSocket)) {}

Result<std::unique_ptr<App>> App::start(Config config, std::function<Result<Invocation>()> reread) {
  FTAP_TRY_ASSIGN(lock, NodeLock::take(config.host_root));
  FTAP_TRY(make_state_dir(config.state_dir));
  raise_descriptor_limit();
  // Before the first thread, which inherits the blocked signals.
  FTAP_TRY_ASSIGN(events, Events::open(config.cycle, kLookPeriod));
  std::unique_ptr<App> app(new App(std::move(config), std::move(lock), std::move(events), std::move(reread)));
  if (app->config_.count.enabled) app->start_count();
  app->start_scheduler();
  if (app->config_.stream.enabled) app->open_stream();
  // Now that the programs are attached, and before the threads that would otherwise have everything as well.
  FTAP_TRY_ASSIGN(given_up, drop_privileges(app->config_));
  app->outlets_.set_given_up(given_up);
  app->components_.set(kSeccomp, refuse_system_calls(), "what only an intruder would call is refused");
  app->run_stream();
  app->start_telemetry();
  if (app->config_.explain.enabled) app->start_explain();
  app->start_api();
  app->start_outlets(nullptr);
  // Counting alone is nothing: nobody could see it.
  if (!app->api_ && app->outlets_.status().empty())
    return fail("nothing that flowtapd was asked for could be started", "the messages above say why");
  return app;
}

void App::choose_hierarchy() {
  hierarchy_ = identity::choose_hierarchy(config_.host_root, config_.telemetry.hierarchy);
}

void App::start_count() {
  cycles_.choose(config_.telemetry, config_.count.enabled, sysfs_of(config_));
  choose_hierarchy();
  kernel::Accounting what{.counters = cycles_.counters()};
  if (config_.telemetry.enabled && hierarchy_) {
    what.cgroups = static_cast<std::uint32_t>(config_.telemetry.max_cgroups);
    what.hierarchy = hierarchy_->id;
  }
  auto started = CountPath::start(sysfs_of(config_), what);
  if (!started && what.counters) {
    cycles_.give_up(started.error().what);
    what.counters = nullptr;
    started = CountPath::start(sysfs_of(config_), what);
  }
  if (!started) return components_.set(CountPath::kName, std::unexpected(started.error()), {});
  count_ = std::move(*started);
  components_.set(CountPath::kName, {}, CountPath::kHow);
}

void App::start_scheduler() {
  if (config_.scheduler == kNoScheduler) return;
  auto started =
      SchedulerPath::start(config_.scheduler, sysfs_of(config_), count_ ? count_->ext_self_map() : -1);
  if (!started) return components_.set(SchedulerPath::kName, std::unexpected(started.error()), {});
  scheduler_ = std::move(*started);
  tell_of_scheduler();
}

void App::tell_of_scheduler() {
  components_.set(SchedulerPath::kName, scheduler_->health(), scheduler_->how());
}

void App::open_stream() {
  auto opened =
      StreamPath::open(config_.stream, {config_.host_root, config_.state_dir}, named_,
                       [logs = workload_logs_](const std::string& flow) { return logs->written_by(flow); });
  if (!opened) {
    stream_missing_ = opened.error();
    return components_.set(StreamPath::kName, std::unexpected(opened.error()), {});
  }
  stream_ = std::move(*opened);
}

void App::run_stream() {
  if (!stream_) return;
  const Status running = stream_->run(config_.stream.sources);
  if (running) stream_->set_flow_rules(config_.stream.flow_rules);
  components_.set(StreamPath::kName, running, stream_->how());
  if (!running) {
    stream_missing_ = running.error();
    return stream_.reset();
  }
  state_.set_flows(&stream_->flows());
  for (const std::string& warning : stream_->new_warnings()) spdlog::warn("stream: {}", warning);
}

void App::start_telemetry() {
  telemetry_.reset();
  if (!config_.telemetry.enabled) return;
  // That nothing counts is said as such, or wanted. Processes have names all the same.
  Result<std::unique_ptr<telemetry::UsageSource>> usage = nullptr;
  if (!count_) choose_hierarchy();
  if (count_ && hierarchy_) usage = count_->usage();
  if (count_ && !hierarchy_) usage = std::unexpected(hierarchy_.error());
  telemetry_ = TelemetryPath::start(config_.telemetry, std::move(usage),
                                    {.host_root = config_.host_root,
                                     .runtimes = config_.stream.runtimes,
                                     .named = named_,
                                     .logs = workload_logs_,
                                     .ends = container_ends_,
                                     .why_no_cycles = cycles_.why_not(),
                                     .hierarchy = hierarchy_.value_or(identity::UsageHierarchy{})});
  tell_of_telemetry();
}

void App::tell_of_telemetry() {
  components_.set(TelemetryPath::kName, telemetry_->health(), telemetry_->how());
}

// Without the stream path it has nothing to read; where that is off, nothing is missing.
void App::start_explain() {
  if (!config_.stream.enabled)
    return state_.set_diagnoses(fail("the stream path is off, which captures the schedulers' logs",
                                     "set stream: enabled: true in flowtapd's configuration"));
  Result<std::unique_ptr<ExplainPath>> started =
      fail("the stream path does not run, which captures the schedulers' logs", "flowtap status says why");
  if (stream_) started = ExplainPath::start(stream_->scheduler_flows(), config_.explain.max_pods);
  if (!started) {
    state_.set_diagnoses(std::unexpected(started.error()));
    return components_.set(ExplainPath::kName, std::unexpected(started.error()), {});
  }
  explain_ = std::move(*started);
  state_.set_diagnoses(explain_.get());
  components_.set(ExplainPath::kName, {}, ExplainPath::kHow);
}

std::optional<api::TcpOptions> App::tcp_options() const {
  const Config::Api& api = config_.api;
  const auto address = stats::parse_listen_address(api.address);
  if (!address) return std::nullopt;
  return api::TcpOptions{.host = address->host,
                         .port = address->port,
                         .token_file = api.token_file,
                         .kube = {.server = api.kubernetes_server,
                                  .ca_file = api.kubernetes_ca,
                                  .token_file = api.kubernetes_token},
                         .tls_certificate = api.tls_certificate,
                         .tls_key = api.tls_key,
                         .rate = api.rate};
}

void App::start_api() {
  state_.set_ends(container_ends_);
  auto server = api::ApiServer::start({.socket_path = api::socket_path(config_.state_dir),
                                       .socket_group = config_.api.socket_group,
                                       .max_connections = 64,
                                       .session_time = std::chrono::seconds(30),
                                       .max_followers = config_.api.max_followers,
                                       .tcp = tcp_options(),
                                       .counts = api_counts_},
                                      state_);
  if (!server) return components_.set(kApi, std::unexpected(server.error()), {});
  api_.emplace(std::move(*server));
  tell_of_api();
}

void App::tell_of_api() {
  components_.set(kApi, {}, api::socket_path(config_.state_dir));
  const auto& tcp = api_->tcp();
  if (!tcp) return;
  const Status health = *tcp ? api_->tcp_health() : std::unexpected(tcp->error());
  // Once for each trouble, however often it is met.
  if (*tcp && !health && health.error().what != kube_trouble_) log_error(Error(health.error()).in(kApiTcp));
  kube_trouble_ = *tcp && !health ? health.error().what : std::string();
  components_.set(kApiTcp, health, *tcp ? **tcp : std::string());
}

void App::start_outlets(const stats::SnapshotPtr& told) {
  outlets_.apply(config_, told);
  for (const auto& failed : outlets_.failed()) components_.set(failed);
  components_.log_missing();
}

void App::run() {
  look_around();
  cycle();
  state_.set_ready();
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

// What it does, and what is missing.
std::string App::sentence() const {
  const std::string counts =
      count_ ? fmt::format("counts on {} CPUs of kernel {}, a cycle every {} ms", count_->cpus_online(),
                           kernel::kernel_release(), config_.cycle.count())
             : "does not count";
  const std::string under = scheduler_ && scheduler_->health() ? "; " + scheduler_->how() : "";
  return counts + under + (stream_ ? "; captures what containers write" : "") + components_.missing();
}

// Reads what changes slowly.
void App::look_around() {
  process_.clear();
  append_process_stats(process_, read_errors_);
  if (count_) count_->look_around(read_errors_);
  look_at_sched_ext();
  if (scheduler_) {
    const std::string news = scheduler_->look_around();
    if (!news.empty()) spdlog::warn("scheduler: {}", news);
    tell_of_scheduler();
  }
  if (!stream_) return;
  stream_->look_around(read_errors_);
  const auto warnings = stream_->new_warnings();
  for (const std::string& warning : warnings) spdlog::warn("stream: {}", warning);
  if (!warnings.empty()) components_.set(StreamPath::kName, {}, stream_->how());
}

void App::look_at_sched_ext() {
  const auto now = kernel::read_sched_ext(sysfs_of(config_));
  if (now) read_errors_[SchedExtWatch::kWhat] += now->unreadable;
  sched_ext_.note(now);
  scx_stats_.look(now, Clock::now(), read_errors_);
  if (scx_stats_.health())
    components_.set(ScxStats::kName, *scx_stats_.health(), scx_stats_.how());
  else
    components_.drop(ScxStats::kName);
}

void App::append_exits(std::vector<stats::Series>& out) const {
  if (config_.scheduler == kNoScheduler && scheduler_exits_.empty()) return;
  for (const std::string_view kind : scheds::exit_kinds()) {
    const auto before = scheduler_exits_.find(kind);
    const std::uint64_t count = (before == scheduler_exits_.end() ? 0 : before->second) +
                                (scheduler_ ? scheduler_->exits().at(kind) : 0);
    out.push_back({&stats::stat(stats::StatId::kSCHEDULER_EXITS), {std::string(kind)}, count});
  }
}

void App::cycle() {
  const auto begin = Clock::now();
  if (count_) count_->take(registry_);
  if (scheduler_) scheduler_->take(registry_);
  if (telemetry_) telemetry_->collect(read_errors_);
  auto status = report();
  auto all = samples();
  append_self_samples(all, status);
  if (stream_) stream_->append_samples(all, *status.stream);
  if (explain_) explain_->append_samples(all);
  append_api_samples(all, *api_counts_);
  sched_ext_.append_samples(all);
  scx_stats_.append_samples(all);
  if (telemetry_) telemetry_->append_samples(all);
  append_exits(all);
  const auto snapshot = telemetry_
                            ? registry_.publish(std::move(all), telemetry_->measured(), telemetry_->series())
                            : registry_.publish(std::move(all));
  outlets_.offer(snapshot);
  state_.publish(std::move(status), snapshot);

  times_.add(Clock::now() - begin);
}

std::vector<stats::Series> App::samples() const {
  std::vector<stats::Series> all = process_;
  times_.append(all);
  if (const auto scrapes = outlets_.scrape_durations())
    all.push_back({&stats::stat(stats::StatId::kSCRAPE_DURATION), {}, *scrapes});
  return all;
}

api::StatusReport App::report() {
  api::StatusReport status;
  status.version = FLOWTAP_VERSION;
  status.kernel = kernel::kernel_release();
  status.count.cycle_seconds = std::chrono::duration<double>(config_.cycle).count();
  times_.report(status.count);
  if (count_) count_->report(status.count);
  if (stream_) status.stream = stream_->report();
  status.backends = outlets_.status();
  for (const auto& running : outlets_.components()) components_.set(running);
  if (api_) tell_of_api();
  if (telemetry_) tell_of_telemetry();
  status.components = components_.all();
  for (const auto& [what, count] : read_errors_) status.read_errors.push_back({what, count});
  return status;
}

void App::stop() {
  notify_stopping();
  // First, so that whatever else takes its time does so on the kernel's own scheduler; its last counts are this cycle's.
  if (scheduler_) scheduler_->stop();
  cycle();
  outlets_.stop(kStopLimit);
  api_.reset();
  explain_.reset();
  if (stream_ && !stream_->stop()) {
    spdlog::warn(
        "stream: a file system that does not answer is not waited for; all that was captured is safe");
    spdlog::shutdown();
    ::_exit(0);
  }
  stream_.reset();  // what is pinned goes on
  count_.reset();
  spdlog::info("flowtapd ends");
}

}  // namespace flowtap
