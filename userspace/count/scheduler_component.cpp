#include "count/scheduler_component.hpp"

#include <spdlog/spdlog.h>

#include "base/node/on_host.hpp"

namespace flowtap {

void SchedulerComponent::start() {
  if (name_ == kNoScheduler) return;
  auto started = SchedulerPath::start(name_, on_host(shared_.host_root, "/sys"), count_.ext_self_map());
  if (!started) return health_.set(SchedulerPath::kName, std::unexpected(started.error()), {});
  path_ = std::move(*started);
  tell();
}

void SchedulerComponent::tell() {
  health_.set(SchedulerPath::kName, path_->health(), path_->how());
}

void SchedulerComponent::look_around() {
  if (!path_) return;
  const std::string news = path_->look_around();
  if (!news.empty()) spdlog::warn("scheduler: {}", news);
  tell();
}

void SchedulerComponent::take() {
  if (path_) path_->take(shared_.registry);
}

void SchedulerComponent::append_samples(std::vector<stats::Series>& out,
                                        const api::StatusReport& /*status*/) {
  if (name_ == kNoScheduler && exits_.empty()) return;
  for (const std::string_view kind : scheds::exit_kinds()) {
    const auto before = exits_.find(kind);
    const std::uint64_t count =
        (before == exits_.end() ? 0 : before->second) + (path_ ? path_->exits().at(kind) : 0);
    out.push_back({&stats::stat(stats::StatId::kSCHEDULER_EXITS), {std::string(kind)}, count});
  }
}

// A scheduler that was given up is tried again: the signal means that somebody has mended what ended it.
void SchedulerComponent::let_go() {
  if (!path_) return;
  if (!count_.changes() && name_ == path_->name() && !path_->given_up()) return;
  path_->stop();
  take();
  for (const auto& [kind, count] : path_->exits()) exits_[kind] += count;
  path_.reset();
}

void SchedulerComponent::take_options() {
  if (path_)
    tell();
  else
    start();
}

std::string SchedulerComponent::sentence() const {
  return path_ && path_->health() ? path_->how() : std::string();
}

void SchedulerComponent::halt() {
  if (path_) path_->stop();
}

}  // namespace flowtap
