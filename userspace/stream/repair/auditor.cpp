#include "stream/repair/auditor.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <optional>

#include "base/printable.hpp"
#include "base/wall_clock.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

constexpr int kAuditNice = 19;
constexpr auto kPause = 1s;
// The pause between pieces of 64 KiB, so that a large flow takes time rather than a processor.
constexpr auto kBreath = 2ms;
// With more lines a second than this, there is much to do.
constexpr std::uint64_t kBusyLines = 5000;
// By then the flow's gaps are filled, and the runtime has written its file.
constexpr std::uint64_t kSettled = 6'000'000'000;  // ns

bool is_containers(const std::string& flow) {
  return flow.starts_with("pod/") || flow.starts_with("container/");
}

}  // namespace

Auditor::Auditor(const flow::FlowStore& store, const Histories& histories)
    : store_(store), histories_(histories) {
  thread_ = std::thread([this] { run(); });
}

Auditor::~Auditor() {
  bell_.stop();
  thread_.join();
}

void Auditor::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-audit");
  ::setpriority(PRIO_PROCESS, 0, kAuditNice);
  while (bell_.wait(kPause)) {
    try {
      if (!is_busy()) look();
    } catch (const std::exception&) {  // no memory: tried again later
      continue;
    }
  }
}

bool Auditor::is_busy() {
  const std::uint64_t lines = store_.stats().lines;
  const bool busy = lines - lines_ > kBusyLines;
  lines_ = lines;
  return busy;
}

void Auditor::look() {
  const std::vector<flow::FlowSummary> flows = store_.flows();
  std::optional<flow::FlowSummary> next;
  {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, Audited> known;  // of flows that still exist
    const std::uint64_t now = wall_ns();
    for (const flow::FlowSummary& flow : flows) {
      const auto at = audited_.find(flow.id);
      const bool done = at != audited_.end() && at->second.bytes == flow.bytes && !flow.open();
      if (done)
        known.insert(*at);
      else if (!next && !flow.open() && is_containers(flow.id) && flow.last + kSettled < now)
        next = flow;
    }
    audited_ = std::move(known);
  }
  if (!next) return;
  bool stopped = false;
  const FlowAudit audit = audit_flow(store_, histories_, next->id, [&] {
    stopped = !bell_.wait(kBreath);
    return !stopped;
  });
  if (stopped) return;
  if (audit.result == AuditResult::kDiffers)
    spdlog::warn("stream: the flow {} differs from what its runtime has kept: {}", printable(next->id),
                 audit.difference);
  const std::scoped_lock lock(mutex_);
  ++counts_.at(static_cast<std::size_t>(audit.result));
  audited_.insert_or_assign(next->id, Audited{next->bytes, audit.result});
}

std::optional<AuditResult> Auditor::result_of(const std::string& flow) const {
  const std::scoped_lock lock(mutex_);
  const auto at = audited_.find(flow);
  return at == audited_.end() ? std::nullopt : std::optional(at->second.result);
}

std::vector<std::string> Auditor::differing(std::size_t most) const {
  std::vector<std::string> flows;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, audited] : audited_)
    if (audited.result == AuditResult::kDiffers && flows.size() < most) flows.push_back(id);
  return flows;
}

void Auditor::append_samples(std::vector<stats::Series>& out) const {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < kAuditResults; ++i)
    out.push_back({&stats::stat(stats::StatId::kFLOWS_AUDITED),
                   {std::string(to_string(static_cast<AuditResult>(i)))},
                   counts_.at(i)});
}

}  // namespace flowtap
