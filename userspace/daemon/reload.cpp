// SIGHUP: what changed in the configuration takes effect, what did not goes on.
#include <spdlog/spdlog.h>

#include "base/on_host.hpp"
#include "daemon/app.hpp"
#include "daemon/log.hpp"
#include "daemon/notify.hpp"
#include "daemon/seccomp.hpp"

namespace flowtap {
namespace {

void keep_until_restart(Config& config, const Config& old) {
  StreamOptions stream = old.stream;
  stream.sources = config.stream.sources;  // which do not, and these
  stream.flow_rules = config.stream.flow_rules;
  if (config.state_dir == old.state_dir && config.host_root == old.host_root &&
      config.metrics == old.metrics && config.explain == old.explain && config.stream == stream)
    return;
  spdlog::warn(
      "state_dir, host_root, metrics, explain and stream (but for units, processes, files and flow_rules) "
      "hold "
      "until flowtapd is started again");
  config.state_dir = old.state_dir;
  config.host_root = old.host_root;
  config.metrics = old.metrics;
  config.explain = old.explain;
  config.stream = stream;
}

}  // namespace

// A scheduler of ours shares a map with the programs that count, so it does not outlive them. One that was given up is tried
// again: whoever sends the signal has seen to what ended it.
void App::reload_counts(const Config& old) {
  const bool other_usage = config_.telemetry.enabled != old.telemetry.enabled ||
                           config_.telemetry.max_cgroups != old.telemetry.max_cgroups ||
                           config_.telemetry.hierarchy != old.telemetry.hierarchy ||
                           config_.telemetry.cycles != old.telemetry.cycles;
  const bool other_count = config_.count.enabled != (count_ != nullptr) || other_usage;
  if (other_count) telemetry_.reset();  // which reads what the programs add up
  if (scheduler_ && (other_count || config_.scheduler != old.scheduler || scheduler_->given_up())) {
    scheduler_->stop();
    scheduler_->take(registry_);
    for (const auto& [kind, count] : scheduler_->exits()) scheduler_exits_[kind] += count;
    scheduler_.reset();
  }
  if (count_ && other_count) {
    count_->take(registry_);  // what it counted since the last cycle
    count_.reset();
  }
  if (!config_.count.enabled) {
    cycles_.choose(config_.telemetry, config_.count.enabled,
                   on_host(config_.host_root, "/sys"));  // they are others' then
  } else if (count_) {
    components_.set(CountPath::kName, {}, CountPath::kHow);
  } else {
    start_count();
  }
  if (scheduler_)
    tell_of_scheduler();
  else
    start_scheduler();
}

void App::reload() {
  notify_reloading();
  auto read = reread_();
  if (!read) {
    log_error(std::move(read.error()).in("the configuration stays as it was"));
    return notify_ready(sentence());
  }
  const Config old = std::exchange(config_, std::move(read->config));
  keep_until_restart(config_, old);
  set_log_level(config_.log_level);
  events_.set_cycle(config_.cycle);
  components_.keep_only(kSeccomp);  // which holds for good
  reload_counts(old);
  if (stream_ && config_.stream.sources != old.stream.sources) stream_->set_sources(config_.stream.sources);
  if (stream_ && config_.stream.flow_rules != old.stream.flow_rules)
    stream_->set_flow_rules(config_.stream.flow_rules);
  if (stream_) components_.set(StreamPath::kName, {}, stream_->how());
  if (stream_missing_) components_.set(StreamPath::kName, std::unexpected(*stream_missing_), {});
  if (config_.telemetry != old.telemetry || !telemetry_)
    start_telemetry();
  else
    tell_of_telemetry();
  if (explain_)
    components_.set(ExplainPath::kName, {}, ExplainPath::kHow);
  else if (config_.explain.enabled)
    start_explain();
  if (config_.api != old.api || !api_) {
    api_.reset();
    start_api();
  } else {
    tell_of_api();
  }
  start_outlets(state_.snapshot());
  cycle();
  spdlog::info("configuration reloaded");
  notify_ready(sentence());
}

}  // namespace flowtap
