#include "stream/stream_component.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "component/log_error.hpp"
#include "kernel/log/log_pins.hpp"
#include "stream/flows_mount.hpp"
#include "stream/idle_patterns.hpp"
#include "stream/idle_settings.hpp"
#include "stream/memory/flows_room.hpp"

namespace flowtap {

StreamComponent::StreamComponent(Shared& shared, const StreamOptions& options,
                                 std::shared_ptr<NamedContainers> named, flow::WrittenBy written_by)
    : shared_(shared), options_(options), named_(std::move(named)), written_by_(std::move(written_by)) {
  shared.read_errors.insert({{kProgramErrors, 0}, {Drain::kRing, 0}, {StreamPath::kLines, 0}});
  if (!options_.enabled) return;
  const std::string flows = flows_path(shared.state_dir);
  mounts_ = MountKeeper::start(flows);
  make_room(flows);
}

// tmpfs is charged to whoever wrote it, and stays so when that was killed for want of memory. Without this, the next start would
// be killed as well, even before this component opens. Where the sizes fit, nothing goes.
void StreamComponent::make_room(const std::string& flows) {
  const MemoryFit fit = fit_now();
  const std::uint64_t removed = fit.short_at_once == 0 ? 0 : remove_oldest_logs(flows, fit.short_at_once);
  give_up_ = fit.short_at_start - std::min(removed, fit.short_at_start);
  if (removed != 0)
    log_warning("stream: " + mib(removed) +
                " of what was captured earlier made room, so that flowtapd can start" +
                (fit.limit ? ": " + fit.limit->whose + " is " + mib(fit.limit->bytes) : ""));
}

MemoryFit StreamComponent::fit_now() const {
  return fit_memory_here(options_,
                         {.ring = kernel::LogPins(bpffs_path(options_, shared_.host_root)).ring_bytes(),
                          .flows = flows_held(shared_.state_dir)});
}

void StreamComponent::open() {
  if (!options_.enabled) {
    if (const std::string idle = idle_lists(options_); !idle.empty()) spdlog::warn("{}", idle);
    return;
  }
  for (const std::string& idle : idle_settings(options_)) spdlog::warn("{}", idle);
  const MemoryFit fit = fit_now();
  if (!fit.unread.empty()) log_warning("stream: " + fit.unread);
  if (!fit.taken.empty())
    spdlog::info("stream: {}{}", fmt::join(fit.taken, ", "),
                 fit.limit ? "; " + fit.limit->whose + " is " + mib(fit.limit->bytes) : "");
  if (!fit.too_much.empty()) log_warning("stream: " + fit.too_much);
  const StreamPlaces places{shared_.host_root, shared_.state_dir, std::move(mounts_), give_up_};
  auto opened = StreamPath::open(fit.options, places, named_, written_by_);
  if (opened) {
    path_ = std::move(*opened);
    return;
  }
  Error error = std::move(opened.error());
  if (error.code == ENOMEM && fit.limit)
    error.hint += "; as " + fit.limit->whose + " is now, " + fit.fits + " fit";
  tell(std::unexpected(std::move(error)));
}

void StreamComponent::run() {
  if (!path_) return;
  applied_ = options_;
  const Status running = path_->run(applied_.sources);
  if (running) path_->set_flow_rules(applied_.flow_rules);
  tell(running);
  if (!running) return path_.reset();
  shared_.node.set_flows(&path_->flows());
  log_warnings();
  schedulers_ = applied_.lines.schedulers;
  find_idle_patterns();
}

void StreamComponent::find_idle_patterns() {
  auto idle = idle_patterns(schedulers_, applied_.sources, applied_.flow_rules);
  for (const api::IdlePattern& one : idle)
    if (std::ranges::find(idle_, one) == idle_.end()) spdlog::warn("{}", api::sentence_of(one));
  idle_ = std::move(idle);
}

void StreamComponent::tell(const Status& running) {
  if (!running) {
    missing_ = running.error();
    shared_.node.set_no_flows(Error(running.error()).in("the stream path does not run"));
  }
  health_.set(StreamPath::kName, running, path_ ? path_->how() : std::string());
}

void StreamComponent::log_warnings() {
  for (const std::string& warning : path_->new_warnings()) spdlog::warn("stream: {}", warning);
}

void StreamComponent::look_around() {
  if (!path_) return;
  path_->look_around(shared_.read_errors);
  log_warnings();
  tell({});
}

void StreamComponent::report(api::StatusReport& status) {
  if (!path_) return;
  status.stream = path_->report();
  status.stream->sources.idle_patterns = idle_;
}

void StreamComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& status) {
  if (path_) path_->append_samples(out, *status.stream);
}

void StreamComponent::take_options() {
  if (path_) {
    const StreamOptions old = std::exchange(applied_, options_);
    if (applied_.sources != old.sources) path_->set_sources(applied_.sources);
    if (applied_.flow_rules != old.flow_rules) path_->set_flow_rules(applied_.flow_rules);
    find_idle_patterns();
    tell({});
  }
  if (missing_) tell(std::unexpected(*missing_));
}

void StreamComponent::stop() {
  if (path_ && !path_->stop()) {
    spdlog::warn(
        "stream: a file system does not answer, and flowtapd ends without waiting for it; everything that "
        "was captured is safe");
    spdlog::shutdown();
    ::_exit(0);
  }
  path_.reset();
}

}  // namespace flowtap
