#include "daemon/app.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>

#include "daemon/log.hpp"
#include "daemon/notify.hpp"
#include "daemon/privileges.hpp"
#include "daemon/seccomp.hpp"
#include "daemon/self_samples.hpp"
#include "kernel/requirements.hpp"

namespace flowtap {
namespace {

using Clock = std::chrono::steady_clock;

// What is read of the machine beside the slots is read this often, however short the cycle.
constexpr std::chrono::milliseconds kLookPeriod{1000};
constexpr std::chrono::milliseconds kStopLimit{3000};

Status make_state_dir(const std::string& path) {
  // Readable by all: the socket inside has its own permissions.
  if (::mkdir(path.c_str(), 0755) == 0) return {};
  int error = errno;
  struct stat there{};
  if (error == EEXIST && ::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return {};
    error = ENOTDIR;
  }
  return fail_errno(error, "cannot make the state directory " + path,
                    "run flowtapd as root, or give a directory that it may make with --state-dir");
}

}  // namespace

App::App(Config config, NodeLock lock, Events events, std::function<Result<Invocation>()> reread)
    : config_(std::move(config)),
      lock_(std::move(lock)),
      events_(std::move(events)),
      reread_(std::move(reread)),
      registry_(config_.metrics.max_series_per_family, std::chrono::system_clock::now()) {}

Result<std::unique_ptr<App>> App::start(Config config, std::function<Result<Invocation>()> reread) {
  FTAP_TRY_ASSIGN(lock, NodeLock::take(config.host_root));
  FTAP_TRY(make_state_dir(config.state_dir));
  // Before the first thread, which inherits the blocked signals.
  FTAP_TRY_ASSIGN(events, Events::open(config.cycle));
  std::unique_ptr<App> app(new App(std::move(config), std::move(lock), std::move(events), std::move(reread)));
  if (app->config_.count.enabled) app->start_count();
  // Now that the programs are attached, and before the threads that would otherwise have everything as well.
  FTAP_TRY_ASSIGN(given_up, drop_privileges(app->config_));
  app->outlets_.set_given_up(given_up);
  app->component(kSeccomp, refuse_system_calls(), "what only an intruder would call is refused");
  app->start_api();
  app->start_outlets(nullptr);
  // Counting alone is nothing: nobody could see it.
  if (!app->api_ && app->outlets_.status().empty())
    return fail("nothing that flowtapd was asked for could be started", "the messages above say why");
  return app;
}

void App::component(const std::string& name, const Status& status, std::string detail) {
  auto& c = components_[name];
  c = {name, status.has_value(), std::move(detail), {}};
  if (status) return;
  c.detail = status.error().what;
  c.hint = status.error().hint;
}

void App::start_count() {
  auto started = CountPath::start(config_.host_root);
  if (!started) return component("count", std::unexpected(started.error()), {});
  count_ = std::move(*started);
  component("count", {}, "every dispatch, through tp_btf");
}

void App::start_api() {
  auto server = api::ApiServer::start({.socket_path = api::socket_path(config_.state_dir),
                                       .socket_group = config_.api.socket_group,
                                       .max_connections = 64,
                                       .session_time = std::chrono::seconds(30)},
                                      state_);
  if (!server) return component("api", std::unexpected(server.error()), {});
  api_.emplace(std::move(*server));
  component("api", {}, api::socket_path(config_.state_dir));
}

void App::start_outlets(const stats::SnapshotPtr& told) {
  outlets_.apply(config_, told);
  for (const auto& failed : outlets_.failed()) components_[failed.name] = failed;
  for (const auto& [name, c] : components_)
    if (!c.up) log_error(Error{name + " is not running: " + c.detail, c.hint, 0});
}

void App::run() {
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
  std::string text = count_
                         ? fmt::format("counts on {} CPUs of kernel {}, a cycle every {} ms",
                                       count_->cpus_online(), kernel::kernel_release(), config_.cycle.count())
                         : "does not count";
  std::string_view between = "; not running: ";
  for (const auto& [name, c] : components_) {
    if (c.up) continue;
    text += fmt::format("{}{}", between, name);
    between = ", ";
  }
  return text;
}

// Reads what changes slowly: CPUs, the programs' own statistics, this process.
void App::look_around() {
  process_.clear();
  append_process_stats(process_, read_errors_);
  if (!count_) return;
  if (const auto followed = count_->follow_hotplug(); !followed) ++read_errors_["topology"];
  if (const auto mended = count_->mend_records(); !mended) ++read_errors_["task_records"];
  programs_ = programs();
}

void App::take_counts() {
  if (!count_) return;
  stats::SlotCounts counts{};
  count_->take(counts);
  registry_.add(counts, count_->ext_scheduler());
}

void App::cycle() {
  const auto begin = Clock::now();
  take_counts();
  if (begin >= next_look_) {
    next_look_ = begin + kLookPeriod - kLookPeriod / 20;
    look_around();
  }
  auto status = report();
  auto all = samples();
  append_self_samples(all, status);
  const auto snapshot = registry_.publish(std::move(all));
  outlets_.offer(snapshot);
  state_.publish(std::move(status), snapshot);

  const auto took = Clock::now() - begin;
  ++cycles_;
  last_cycle_seconds_ = std::chrono::duration<double>(took).count();
  ++cycle_durations_.counts.at(stats::histogram_bucket(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count())));
  cycle_durations_.sum += *last_cycle_seconds_;
}

std::vector<stats::Series> App::samples() const {
  std::vector<stats::Series> all = process_;
  all.push_back({&stats::stat(stats::StatId::kCYCLE_DURATION), {}, cycle_durations_});
  if (const auto scrapes = outlets_.scrape_durations())
    all.push_back({&stats::stat(stats::StatId::kSCRAPE_DURATION), {}, *scrapes});
  return all;
}

std::vector<api::ProgramStatus> App::programs() {
  std::vector<api::ProgramStatus> all;
  for (const auto& p : count_->program_stats()) {
    if (!p) {
      ++read_errors_["bpf_program"];
      continue;
    }
    api::ProgramStatus& status = all.emplace_back();
    status.name = p->name;
    status.attached = p->attached;
    status.run_count = p->runs;
    if (p->run_nanoseconds) status.run_time_seconds = static_cast<double>(*p->run_nanoseconds) * 1e-9;
    status.recursion_misses = p->recursion_misses;
  }
  return all;
}

api::StatusReport App::report() {
  api::StatusReport status;
  status.version = FLOWTAP_VERSION;
  status.kernel = kernel::kernel_release();
  status.count.cycle_seconds = std::chrono::duration<double>(config_.cycle).count();
  status.count.cycles = cycles_;
  status.count.last_cycle_seconds = last_cycle_seconds_;
  if (count_) {
    status.count.cpus_possible = count_->cpus_possible();
    status.count.cpus_online = count_->cpus_online();
    status.count.programs = programs_;
  }
  status.backends = outlets_.status();
  for (const auto& running : outlets_.components()) components_[running.name] = running;
  for (const auto& [name, c] : components_) status.components.push_back(c);
  for (const auto& [what, count] : read_errors_) status.read_errors.push_back({what, count});
  return status;
}

void App::reload() {
  notify_reloading();
  auto read = reread_();
  if (!read) {
    log_error(std::move(read.error()).in("the configuration stays as it was"));
    return notify_ready(sentence());
  }
  const Config old = std::exchange(config_, std::move(read->config));
  if (config_.state_dir != old.state_dir || config_.host_root != old.host_root ||
      config_.metrics != old.metrics) {
    spdlog::warn("state_dir, host_root and metrics hold until flowtapd is started again");
    config_.state_dir = old.state_dir;
    config_.host_root = old.host_root;
    config_.metrics = old.metrics;
  }
  set_log_level(config_.log_level);
  events_.set_cycle(config_.cycle);
  std::erase_if(components_, [](const auto& c) { return c.first != kSeccomp; });  // which holds for good
  if (!config_.count.enabled) {
    take_counts();  // what it counted since the last cycle
    count_.reset();
  } else if (count_) {
    component("count", {}, "every dispatch, through tp_btf");
  } else {
    start_count();
  }
  if (config_.api != old.api || !api_) {
    api_.reset();
    start_api();
  } else {
    component("api", {}, api::socket_path(config_.state_dir));
  }
  start_outlets(state_.snapshot());
  cycle();
  spdlog::info("configuration reloaded");
  notify_ready(sentence());
}

void App::stop() {
  notify_stopping();
  cycle();
  outlets_.stop(kStopLimit);
  api_.reset();
  count_.reset();
  spdlog::info("flowtapd ends");
}

}  // namespace flowtap
