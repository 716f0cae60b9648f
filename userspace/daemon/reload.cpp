// SIGHUP: changes in the configuration take effect, and everything else goes on.
#include <spdlog/spdlog.h>

#include <ranges>
#include <utility>

#include "component/log_error.hpp"
#include "daemon/app.hpp"
#include "daemon/log.hpp"
#include "daemon/notify.hpp"
#include "daemon/seccomp.hpp"

namespace flowtap {
namespace {

void keep_until_restart(Config& config, const Config& old) {
  StreamOptions stream = old.stream;
  stream.sources = config.stream.sources;  // the sources and the rules take effect at once
  stream.flow_rules = config.stream.flow_rules;
  if (config.state_dir == old.state_dir && config.host_root == old.host_root &&
      config.metrics == old.metrics && config.explain == old.explain && config.stream == stream)
    return;
  spdlog::warn(
      "state_dir, host_root, metrics, explain and stream (except for units, processes, files and "
      "flow_rules) keep their values until flowtapd is started again");
  config.state_dir = old.state_dir;
  config.host_root = old.host_root;
  config.metrics = old.metrics;
  config.explain = old.explain;
  config.stream = stream;
}

}  // namespace

void App::reload() {
  notify_reloading();
  auto read = reread_();
  if (!read) {
    log_error(std::move(read.error()).in("the configuration stays as it was"));
    return notify_ready(sentence());
  }
  keep_until_restart(read->config, config_);
  config_ = std::move(read->config);
  for (const auto& component : std::views::reverse(components_)) component->let_go();
  set_log_level(config_.log_level);
  events_.set_cycle(config_.cycle);
  for (const auto& component : components_) component->reload();
  health().log_missing();
  cycle();
  spdlog::info("configuration reloaded");
  notify_ready(sentence());
}

}  // namespace flowtap
