#include "telemetry/workloads/workload_collector.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "telemetry/workloads/files/file_series.hpp"

namespace flowtap::telemetry {
namespace {

using stats::StatId;

double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

stats::Histogram waits(const stats::GroupUsage& usage) {
  stats::HistogramValue value;
  for (std::size_t i = 0; i < FTAP_COARSE_EDGES; ++i)
    value.counts.at(FTAP_COARSE_FIRST + 2 * i) = usage.waits.at(i);
  value.counts.back() = usage.waits.back();
  value.sum = seconds(usage.wait_ns);
  return value;
}

// What takes no longer than this leaves collect() its turn anyway, and the next end may be of a cgroup that is removed
// at once.
constexpr std::chrono::milliseconds kQuick{1};

// A process of the workload, if that is a container. Others have no layer of their own.
std::optional<std::uint64_t> pid_of(const WorkloadName& name, const FileLedger::Entry& entry) {
  if (!is_container(name.kind)) return std::nullopt;
  for (const auto& [path, instance] : entry.instances)
    if (const auto pid = instance.last[CgroupGauge::kFirstPid]) return static_cast<std::uint64_t>(*pid);
  return std::nullopt;
}

}  // namespace

WorkloadCollector::WorkloadCollector(std::unique_ptr<stats::UsageSource> source,
                                     std::unique_ptr<CgroupNames> names, std::unique_ptr<CgroupSource> files,
                                     std::string proc, std::string sysfs, WorkloadBoards boards,
                                     std::chrono::milliseconds keep)
    : boards_(std::move(boards)),
      source_(std::move(source)),
      names_(std::move(names)),
      ledger_(keep),
      networks_(proc),
      proc_(std::move(proc)),
      sysfs_(std::move(sysfs)) {
  if (!files) return;
  files_.emplace(std::move(files), BlockNames(sysfs_));
  if (auto stop = EventFd::create()) stop_ = std::move(*stop);
  // Without either of them, what a container did after the last reading is missed.
  if (source_->ends() >= 0 && stop_.valid()) watcher_ = std::thread([this] { watch_turns(); });
}

WorkloadCollector::~WorkloadCollector() {
  if (!watcher_.joinable()) return;
  stop_.tell();
  watcher_.join();
}

void WorkloadCollector::show_outer(std::unique_ptr<CgroupSource> files, std::shared_ptr<CompatBoard> board) {
  if (files) outer_.emplace(std::move(files), BlockNames(sysfs_), proc_);
  boards_.compat = std::move(board);
}

void WorkloadCollector::watch_turns() noexcept {
  std::array<pollfd, 2> fds{pollfd{.fd = source_->ends(), .events = POLLIN, .revents = 0},
                            pollfd{.fd = stop_.get(), .events = POLLIN, .revents = 0}};
  while (true) {
    const int ready = ::poll(fds.data(), fds.size(), -1);
    if (ready < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    if (ready <= 0 || fds[0].revents == 0) continue;
    const auto begin = UsageLedger::Clock::now();
    {
      const std::scoped_lock lock(mutex_);
      read_turns(UsageLedger::Clock::now());
    }
    // However often somebody's last process leaves, half of the time is for collect().
    const auto took = std::chrono::ceil<std::chrono::milliseconds>(UsageLedger::Clock::now() - begin);
    if (took > kQuick) (void)::poll(&fds[1], 1, static_cast<int>(took.count()));
  }
}

void WorkloadCollector::read_turns(UsageLedger::Clock::time_point now) {
  const UsageLedger::Turns turns = ledger_.take_turns(*source_, *names_, now);
  if (!files_) return;
  for (const auto& [top, pid] : turns.began) networks_.begin(top, pid, now, unread_);
  for (const auto& [name, top] : turns.ended) {
    files_->read_last(name, top, now, unread_);
    networks_.read_last(name, top, now, unread_);
  }
}

void WorkloadCollector::post_compat(UsageLedger::Clock::time_point now, std::uint64_t& unread) {
  std::vector<stats::Series> all;
  for (const auto& [name, entry] : files_->workloads()) append_unset(entry.values, entry.labels, all);
  outer_->round(ledger_.workloads(), *files_, networks_, now, unread);
  outer_->append_series(ledger_.workloads(), all);
  boards_.compat->post(std::move(all));
}

void WorkloadCollector::collect(Collected& out) {
  const std::scoped_lock lock(mutex_);
  out.unread += std::exchange(unread_, 0);
  const auto now = UsageLedger::Clock::now();
  // What the ledger has is old then.
  if (!ledger_.round(*source_, *names_, now)) {
    ++out.unread;
    return;
  }
  // The watcher does not find the events that the round has taken.
  read_turns(now);
  out.unread += ledger_.failed_walks() - std::exchange(failed_walks_, ledger_.failed_walks());
  out.series.push_back({&stats::stat(StatId::kWORKLOAD_CGROUPS), {}, std::uint64_t{ledger_.numbered()}});
  out.series.push_back({&stats::stat(StatId::kWORKLOAD_EVENTS_LOST), {}, source_->lost_events()});
  out.series.push_back({&stats::stat(StatId::kWORKLOADS_FORGOTTEN), {}, ledger_.forgotten()});
  boards_.usage->post(ledger_.workloads(), source_->counts_cycles());
  boards_.ends->note(ledger_.take_ended());
  boards_.ends->save();
  out.series.reserve(most_);
  for (const auto& [name, workload] : ledger_.workloads()) {
    const stats::Labels& labels = workload.labels;
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_CPU), labels, seconds(workload.usage.run_ns)});
    out.series.push_back(
        {&stats::stat(StatId::kWORKLOAD_RUN_QUEUE), labels, seconds(workload.usage.wait_ns)});
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_RUN_QUEUE_LATENCY), labels, waits(workload.usage)});
    out.series.push_back({&stats::stat(StatId::kWORKLOAD_DISPATCHES), labels, workload.usage.dispatches});
    for (const auto& [path, instance] : workload.instances)
      out.series.push_back({&stats::stat(StatId::kWORKLOAD_INFO), instance, std::uint64_t{1}});
  }
  if (!files_) return;
  files_->round(ledger_.workloads(), now, out.unread);
  networks_.round(*files_, now, out.unread);
  ProcessBoard::Processes processes;
  for (const auto& [name, entry] : files_->workloads()) {
    if (const auto pid = pid_of(name, entry)) processes.emplace_hint(processes.end(), name, *pid);
    append_series(entry.values, entry.io, entry.labels, out.series);
    if (const auto started = networks_.started(entry))
      out.series.push_back({&stats::stat(StatId::kWORKLOAD_START), entry.labels, *started});
  }
  networks_.append_series(out.series);
  if (outer_) post_compat(now, out.unread);
  boards_.processes->post(std::move(processes));
  most_ = std::max(most_, out.series.size());
}

}  // namespace flowtap::telemetry
