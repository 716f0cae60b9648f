#include "count/count_path.hpp"

#include <algorithm>

#include "kernel/dispatch/node_usage.hpp"
#include "kernel/sched_ext.hpp"
#include "kernel/topology.hpp"

namespace flowtap {

Result<std::unique_ptr<stats::UsageSource>> CountPath::usage() {
  // A collector that hangs still uses the one that it got.
  if (watch_ && watch_->use_count() > 1) watch_ = kernel::CgroupWatch::start(hierarchy_);
  if (!watch_) return std::unexpected(watch_.error());
  FTAP_TRY_ASSIGN(reader, live_.usage());
  return std::make_unique<kernel::NodeUsage>(std::move(reader), *watch_);
}

Result<std::unique_ptr<CountPath>> CountPath::start(const std::string& sysfs,
                                                    const kernel::Accounting& what) {
  FTAP_TRY_ASSIGN(topology, kernel::read_topology(sysfs));
  FTAP_TRY_ASSIGN(live, kernel::start_dispatch(topology, what));
  FTAP_TRY_ASSIGN(slots, live.slots());
  std::unique_ptr<CountPath> path(new CountPath(sysfs, what.hierarchy, std::move(live), std::move(slots)));
  // Now, since the rights that this takes may be given up before anybody asks for the usage.
  if (what.cgroups != 0) path->watch_ = kernel::CgroupWatch::start(what.hierarchy);
  path->note(topology);
  return path;
}

std::string CountPath::how() const {
  std::string how = "every dispatch, through tp_btf";
  if (!live_.tells_sched_ext_apart())
    how +=
        "; sched_ext's tasks count as the kernel's, because they cannot be told apart on a kernel without "
        "CONFIG_KALLSYMS_ALL";
  return how;
}

void CountPath::note(const kernel::Topology& topology) {
  online_list_ = topology.online_list;
  possible_ = topology.possible;
  online_ = topology.online;
}

void CountPath::take(stats::Registry& registry) {
  stats::SlotCounts counts{};
  slots_->take(counts);
  registry.add(counts, kernel::sched_ext_scheduler(sysfs_));
  if (counts.at(FTAP_CLASS_KERNEL).at(FTAP_SLOT_ERR_TASK_STORAGE) != 0) records_missing_ = true;
}

Status CountPath::mend_records() {
  const auto now = std::chrono::steady_clock::now();
  if (!records_missing_) {
    mend_pause_ = kFirstPause;
    return {};
  }
  if (now < next_mend_) return {};
  records_missing_ = false;  // the next take() finds out if it fails again
  next_mend_ = now + mend_pause_;
  mend_pause_ = std::min(2 * mend_pause_, kLongestPause);
  return live_.make_missing_records();
}

Status CountPath::follow_hotplug() {
  FTAP_TRY_ASSIGN(online, kernel::read_online_list(sysfs_));
  if (online == online_list_) return {};
  FTAP_TRY_ASSIGN(topology, kernel::read_topology(sysfs_));
  live_.set_places(topology);
  note(topology);
  return {};
}

void CountPath::read_programs(ReadErrors& errors) {
  programs_.clear();
  for (const auto& p : live_.program_stats(kernel::run_stats_enabled())) {
    if (!p) {
      ++errors[kProgramErrors];
      continue;
    }
    api::ProgramStatus& status = programs_.emplace_back();
    status.name = p->name;
    status.attached = p->attached;
    status.run_count = p->runs;
    if (p->run_nanoseconds) status.run_time_seconds = static_cast<double>(*p->run_nanoseconds) * 1e-9;
    status.recursion_misses = p->recursion_misses;
  }
}

void CountPath::look_around(ReadErrors& errors) {
  if (const auto followed = follow_hotplug(); !followed) ++errors[kTopology];
  if (const auto mended = mend_records(); !mended) ++errors[kTaskRecords];
  read_programs(errors);
}

void CountPath::report(api::CountStatus& status) const {
  status.cpus_possible = possible_;
  status.cpus_online = online_;
  status.programs = programs_;
}

}  // namespace flowtap
