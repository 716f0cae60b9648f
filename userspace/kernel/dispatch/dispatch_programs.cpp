#include "kernel/dispatch/dispatch_programs.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <limits>

#include "base/fd.hpp"
#include "bpf/abi/cpu.h"
#include "dispatch.skel.h"
#include "kernel/libbpf_messages.hpp"
#include "kernel/requirements.hpp"
#include "kernel/sched_ext.hpp"

namespace flowtap::kernel {
namespace {

void write_places(MapView<ftap_cpu>& cpus, const Topology& topology) {
  const auto elements = cpus.elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool known = i < topology.places.size();
    elements[i].llc = known ? topology.places[i].llc : FTAP_PLACE_UNKNOWN;
    elements[i].node = known ? topology.places[i].node : FTAP_PLACE_UNKNOWN;
  }
}

Status size(bpf_map* map, std::uint32_t entries) {
  const int err = bpf_map__set_max_entries(map, entries);
  if (err != 0) return fail_errno(-err, std::string("cannot size the map ") + bpf_map__name(map));
  return {};
}

// This comes before anything is attached: nobody has a number yet.
Status free_all_groups(dispatch_bpf* skeleton) {
  const int free = bpf_map__fd(skeleton->maps.ftap_free_groups);
  for (std::uint32_t group = FTAP_GROUP_OTHER + 1; group < skeleton->rodata->ftap_nr_groups; ++group)
    if (const int err = bpf_map_update_elem(free, nullptr, &group, BPF_ANY); err != 0)
      return fail_errno(-err, "cannot number the cgroups");
  return {};
}

// Runs an iterator once, over all that it shows.
Status run_once(const bpf_program* iterator) {
  const std::string name = bpf_program__name(iterator);
  const std::unique_ptr<bpf_link, int (*)(bpf_link*)> link(bpf_program__attach_iter(iterator, nullptr),
                                                           bpf_link__destroy);
  if (!link) return std::unexpected(bpf_refusal("attach " + name, errno, LibbpfMessages::refusal()));
  const Fd run(bpf_iter_create(bpf_link__fd(link.get())));
  if (!run.valid()) return std::unexpected(bpf_refusal("start " + name, errno, ""));
  std::array<char, 64> nothing{};  // it writes nothing; reading is what makes it walk
  while (true) {
    const ssize_t n = ::read(run.get(), nothing.data(), nothing.size());
    if (n == 0) return {};
    if (n < 0 && errno != EINTR && errno != EAGAIN) return fail_errno(errno, "cannot run " + name);
  }
}

}  // namespace

void DispatchSkeletonDeleter::operator()(dispatch_bpf* skeleton) const noexcept {
  dispatch_bpf::destroy(skeleton);
}

Result<DispatchOpened> DispatchOpened::open(Topology topology) {
  const LibbpfMessages messages;
  DispatchSkeleton skeleton(dispatch_bpf::open());
  if (!skeleton)
    return std::unexpected(bpf_refusal("open the dispatch programs", errno, LibbpfMessages::refusal()));
  const unsigned nr_cpus = topology.highest_plus_one();
  for (bpf_map* map : {skeleton->maps.ftap_slots, skeleton->maps.ftap_cpus, skeleton->maps.ftap_runnings})
    FTAP_TRY(size(map, nr_cpus));
  skeleton->rodata->ftap_has_ext = has_sched_ext("/sys");
  bpf_program__set_autoload(skeleton->progs.ftap_class_iter, skeleton->rodata->ftap_has_ext);
  return DispatchOpened(std::move(skeleton), std::move(topology));
}

void DispatchOpened::only_cgroup(std::uint64_t id) {
  skeleton_->rodata->ftap_only_cgroup = id;
}

Status DispatchOpened::account_usage(std::uint32_t groups, std::uint32_t hierarchy) {
  if (groups == 0 || groups > kMostGroups)
    return fail("the usage of " + std::to_string(groups) + " cgroups cannot be told apart",
                "set telemetry.max_cgroups to a number from 1 to " + std::to_string(kMostGroups));
  const std::uint32_t all = groups + 1;  // with FTAP_GROUP_OTHER
  skeleton_->rodata->ftap_usage_on = true;
  skeleton_->rodata->ftap_nr_groups = all;
  skeleton_->rodata->ftap_usage_hierarchy = hierarchy;
  const std::uint64_t elements = std::uint64_t{all} * topology_.highest_plus_one();
  if (elements > std::numeric_limits<std::uint32_t>::max())
    return fail("there is no room for " + std::to_string(groups) + " cgroups on each CPU",
                "set telemetry.max_cgroups to fewer");
  FTAP_TRY(size(skeleton_->maps.ftap_usages, static_cast<std::uint32_t>(elements)));
  FTAP_TRY(size(skeleton_->maps.ftap_groups, groups));
  return size(skeleton_->maps.ftap_free_groups, groups);
}

Status DispatchOpened::account_cycles(std::shared_ptr<const CycleCounters> counters) {
  skeleton_->rodata->ftap_cycles_on = true;
  counters_ = std::move(counters);
  FTAP_TRY(size(skeleton_->maps.ftap_cycles, bpf_map__max_entries(skeleton_->maps.ftap_usages)));
  return size(skeleton_->maps.ftap_counters, topology_.highest_plus_one());
}

Result<DispatchLoaded> DispatchOpened::load() && {
  const LibbpfMessages messages;
  if (const int err = dispatch_bpf::load(skeleton_.get()); err != 0) {
    return std::unexpected(bpf_refusal("load the dispatch programs", -err, LibbpfMessages::refusal()));
  }
  return DispatchLoaded(std::move(skeleton_), std::move(topology_), std::move(counters_));
}

Result<DispatchLive> DispatchLoaded::attach() && {
  const LibbpfMessages messages;
  const unsigned nr_cpus = topology_.highest_plus_one();
  FTAP_TRY_ASSIGN(cpus, MapView<ftap_cpu>::map(bpf_map__fd(skeleton_->maps.ftap_cpus), nr_cpus));
  write_places(cpus, topology_);

  if (skeleton_->rodata->ftap_usage_on) FTAP_TRY(free_all_groups(skeleton_.get()));
  if (counters_) FTAP_TRY(counters_->give_to(bpf_map__fd(skeleton_->maps.ftap_counters)));

  const auto attach = [](bpf_program* program, bpf_link*& link) -> Status {
    link = bpf_program__attach(program);
    if (link == nullptr)
      return std::unexpected(
          bpf_refusal(std::string("attach ") + bpf_program__name(program), errno, LibbpfMessages::refusal()));
    return {};
  };
  auto& progs = skeleton_->progs;
  auto& links = skeleton_->links;  // owned by the skeleton from here on
  FTAP_TRY(attach(progs.ftap_newtask, links.ftap_newtask));
  FTAP_TRY(attach(progs.ftap_free, links.ftap_free));
  FTAP_TRY(run_once(progs.ftap_task_iter));
  if (skeleton_->rodata->ftap_has_ext) FTAP_TRY(run_once(progs.ftap_class_iter));
  if (skeleton_->rodata->ftap_usage_on) FTAP_TRY(attach(progs.ftap_moved, links.ftap_moved));
  FTAP_TRY(attach(progs.ftap_waking, links.ftap_waking));
  FTAP_TRY(attach(progs.ftap_wakeup, links.ftap_wakeup));
  FTAP_TRY(attach(progs.ftap_wakeup_new, links.ftap_wakeup_new));
  FTAP_TRY(attach(progs.ftap_migrate, links.ftap_migrate));
  FTAP_TRY(attach(progs.ftap_switch, links.ftap_switch));
  return DispatchLive(std::move(skeleton_), std::move(counters_), std::move(cpus), nr_cpus);
}

Result<std::unique_ptr<SlotReader>> DispatchLive::slots() const {
  FTAP_TRY_ASSIGN(blocks, MapView<ftap_block>::map(bpf_map__fd(skeleton_->maps.ftap_slots), nr_cpus_));
  return std::make_unique<SlotReader>(std::move(blocks));
}

Result<UsageReader> DispatchLive::usage() const {
  const std::uint32_t groups = skeleton_->rodata->ftap_nr_groups;
  FTAP_TRY_ASSIGN(usages, MapView<ftap_usage>::map(bpf_map__fd(skeleton_->maps.ftap_usages),
                                                   static_cast<std::size_t>(groups) * nr_cpus_));
  FTAP_TRY_ASSIGN(numbers, MapView<ftap_numbers>::map(bpf_map__fd(skeleton_->maps.ftap_numbers), 1));
  MapView<UsageMaps::Cycles> cycles;
  if (counters_) {
    FTAP_TRY_ASSIGN(mapped, MapView<UsageMaps::Cycles>::map(bpf_map__fd(skeleton_->maps.ftap_cycles),
                                                            static_cast<std::size_t>(groups) * nr_cpus_));
    cycles = std::move(mapped);
  }
  FTAP_TRY_ASSIGN(running, MapView<ftap_running>::map(bpf_map__fd(skeleton_->maps.ftap_runnings), nr_cpus_));
  Fd look(::fcntl(bpf_program__fd(skeleton_->progs.ftap_look), F_DUPFD_CLOEXEC, 0));
  Fd by_cgroup(::fcntl(bpf_map__fd(skeleton_->maps.ftap_groups), F_DUPFD_CLOEXEC, 0));
  Fd free(::fcntl(bpf_map__fd(skeleton_->maps.ftap_free_groups), F_DUPFD_CLOEXEC, 0));
  if (!look.valid() || !by_cgroup.valid() || !free.valid())
    return fail_errno(errno, "cannot keep the maps of cgroups");
  return UsageReader({.usages = std::move(usages),
                      .numbers = std::move(numbers),
                      .cycles = std::move(cycles),
                      .counters = counters_,
                      .running = std::move(running),
                      .look = std::move(look),
                      .groups = std::move(by_cgroup),
                      .free = std::move(free),
                      .nr_groups = groups});
}

bool DispatchLive::tells_sched_ext_apart() const {
  return !skeleton_->rodata->ftap_has_ext || skeleton_->bss->ftap_ext_class != 0;
}

int DispatchLive::ext_self_map() const {
  return bpf_map__fd(skeleton_->maps.ftap_ext_self);
}

Status DispatchLive::make_missing_records() {
  const LibbpfMessages messages;
  return run_once(skeleton_->progs.ftap_task_iter);
}

void DispatchLive::set_places(const Topology& topology) {
  write_places(cpus_, topology);
}

std::vector<Result<ProgramStats>> DispatchLive::program_stats(bool run_stats) const {
  std::vector<Result<ProgramStats>> all;
  const bpf_object_skeleton& parts = *skeleton_->skeleton;
  for (int i = 0; i < parts.prog_cnt; ++i) {
    const bpf_program* program = *parts.progs[i].prog;
    // The iterators run through once, and are not attached to anything. Neither is the program that is run to
    // look, nor, without the usage, what only that needs.
    if (program == skeleton_->progs.ftap_task_iter || program == skeleton_->progs.ftap_class_iter ||
        program == skeleton_->progs.ftap_look ||
        (program == skeleton_->progs.ftap_moved && !skeleton_->rodata->ftap_usage_on))
      continue;
    const bpf_link* link = *parts.progs[i].link;
    all.push_back(read_program_stats(bpf_program__name(program), bpf_program__fd(program), run_stats,
                                     link != nullptr ? bpf_link__fd(link) : -1));
  }
  return all;
}

Result<DispatchLive> start_dispatch(Topology topology, const Accounting& what) {
  FTAP_TRY(check_bpf_requirements());
  FTAP_TRY_ASSIGN(opened, DispatchOpened::open(std::move(topology)));
  if (what.cgroups != 0) FTAP_TRY(opened.account_usage(what.cgroups, what.hierarchy));
  if (what.cgroups != 0 && what.counters) FTAP_TRY(opened.account_cycles(what.counters));
  FTAP_TRY_ASSIGN(loaded, std::move(opened).load());
  return std::move(loaded).attach();
}

}  // namespace flowtap::kernel
