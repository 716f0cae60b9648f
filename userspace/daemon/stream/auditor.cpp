#include "daemon/stream/auditor.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <chrono>
#include <exception>
#include <optional>

namespace flowtap {
namespace {

using namespace std::chrono_literals;

constexpr int kNice = 19;
constexpr auto kPause = 1s;
// Between pieces of 64 KiB, so that a large flow takes time rather than a processor.
constexpr auto kBreath = 2ms;
// Lines a second that are much to do.
constexpr std::uint64_t kBusyLines = 5000;
// By then its gaps are filled, and the runtime has written its file.
constexpr std::uint64_t kSettled = 6'000'000'000;  // ns

bool is_containers(const std::string& flow) {
  return flow.starts_with("pod/") || flow.starts_with("container/");
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

}  // namespace

Auditor::Auditor(const flow::FlowStore& store, const RuntimeHistory& history)
    : store_(store), history_(history) {
  thread_ = std::thread([this] { run(); });
}

Auditor::~Auditor() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    told_.notify_one();
  }
  thread_.join();
}

void Auditor::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-audit");
  ::setpriority(PRIO_PROCESS, 0, kNice);
  while (wait()) {
    try {
      if (!is_busy()) look();
    } catch (const std::exception&) {  // no memory: another time
      continue;
    }
  }
}

// False: to stop.
bool Auditor::wait() {
  std::unique_lock lock(mutex_);
  told_.wait_for(lock, kPause, [this] { return stop_; });
  return !stop_;
}

bool Auditor::go_on() {
  std::unique_lock lock(mutex_);
  told_.wait_for(lock, kBreath, [this] { return stop_; });
  return !stop_;
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
    std::map<std::string, Audited> known;  // of flows that are there
    const std::uint64_t now = now_ns();
    for (const flow::FlowSummary& flow : flows) {
      const auto at = audited_.find(flow.id);
      const bool done = at != audited_.end() && at->second.bytes == flow.bytes && !flow.open;
      if (done)
        known.insert(*at);
      else if (!next && !flow.open && is_containers(flow.id) && flow.last + kSettled < now)
        next = flow;
    }
    audited_ = std::move(known);
  }
  if (!next) return;
  const AuditResult result = audit_flow(store_, history_, next->id, [this] { return go_on(); });
  const std::scoped_lock lock(mutex_);
  if (stop_) return;
  ++counts_.at(static_cast<std::size_t>(result));
  audited_.insert_or_assign(next->id, Audited{next->bytes, result});
}

bool Auditor::is_equal(const std::string& flow) const {
  const std::scoped_lock lock(mutex_);
  const auto at = audited_.find(flow);
  return at != audited_.end() && at->second.result == AuditResult::kEqual;
}

void Auditor::append_samples(std::vector<stats::Series>& out) const {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < kAuditResults; ++i)
    out.push_back({&stats::stat(stats::StatId::kFLOWS_AUDITED),
                   {std::string(to_string(static_cast<AuditResult>(i)))},
                   counts_.at(i)});
}

}  // namespace flowtap
