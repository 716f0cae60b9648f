#include "scheds/lib/struct_ops.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/file.hpp"
#include "base/node/kernel_release.hpp"
#include "base/threads/thread_realtime.hpp"
#include "kernel/dispatch/slot_reader.hpp"
#include "kernel/functions.hpp"
#include "kernel/libbpf_messages.hpp"
#include "kernel/requirements.hpp"
#include "kernel/sched_ext.hpp"
#include "kernel/topology.hpp"

namespace flowtap::scheds {
namespace {

// These are programs of taken.bpf.h.
constexpr const char* kTaken = "cpu_taken";
constexpr const char* kTakenBy = "cpu_taken_by";

Result<bpf_map*> find_map(bpf_object* object, const char* name) {
  bpf_map* map = bpf_object__find_map_by_name(object, name);
  if (map == nullptr)
    return fail(fmt::format("the scheduler's object has no map {}", name), "build flowtap anew");
  return map;
}

// The kernel moves the tasks to sched_ext in the thread that attaches, this thread among them. Since commit 8c2090c504e9 every task
// that has not been moved yet goes before it from then on: where such tasks keep all CPUs, it never comes to move them, and the
// machine stands still. Commit b06ccbabe250 mends that; before it, only a thread that is not moved is safe.
Result<std::pair<bpf_link*, int>> attach_ahead_of_others(bpf_map* ops) {
  const ThreadRealtime ahead;
  if (ahead.error() != 0)
    return fail_errno(ahead.error(),
                      fmt::format("cannot start the scheduler {} ahead of other tasks", bpf_map__name(ops)),
                      "it takes CAP_SYS_NICE, and a cgroup in which threads may be real-time");
  bpf_link* const link = bpf_map__attach_struct_ops(ops);
  return std::pair(link, errno);
}

}  // namespace

Status check_sched_ext(const std::string& sysfs) {
  FTAP_TRY(kernel::check_bpf_requirements());
  const auto state = read_line(sysfs + "/kernel/sched_ext/state");
  if (!state)
    return fail(fmt::format("this kernel, {}, has no sched_ext", kernel_release()),
                "it takes Linux 6.14 or newer, built with CONFIG_SCHED_CLASS_EXT");
  if (*state == "disabled") return {};
  const std::string other = kernel::sched_ext_scheduler(sysfs);
  return fail(other.empty() ? fmt::format("sched_ext is {}", *state)
                            : fmt::format("the sched_ext scheduler '{}' already runs here", other),
              "the kernel runs one at a time: end that one, then start this one again (flowtapd: SIGHUP)");
}

std::optional<std::uint64_t> hotplug_sequence(const std::string& sysfs) {
  const auto line = read_line(sysfs + "/kernel/sched_ext/hotplug_seq");
  if (!line) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  if (error != std::errc() || end != line->data() + line->size()) return std::nullopt;
  return value;
}

Status prepare_maps(bpf_object* object, const StartOptions& options) {
  FTAP_TRY_ASSIGN(topology, kernel::read_topology(options.sysfs));
  FTAP_TRY_ASSIGN(slots, find_map(object, "ftap_slots"));
  if (const int err = bpf_map__set_max_entries(slots, topology.highest_plus_one()); err != 0)
    return fail_errno(-err, "cannot size the scheduler's slots");
  FTAP_TRY(options.kept->give(object));
  if (options.ext_self_map < 0) return {};
  FTAP_TRY_ASSIGN(self, find_map(object, "ftap_ext_self"));
  if (const int err = bpf_map__reuse_fd(self, options.ext_self_map); err != 0)
    return fail_errno(-err, "cannot tell the tracing programs about the scheduler");
  return {};
}

void set_longest_wait(const StartOptions& options, std::uint32_t& timeout_ms) {
  if (options.longest_wait) timeout_ms = static_cast<std::uint32_t>(options.longest_wait->count());
}

Status tell_of_taken_cpus(bpf_object* object, bpf_program*& release) {
  bpf_program* const taken = bpf_object__find_program_by_name(object, kTaken);
  bpf_program* const taken_by = bpf_object__find_program_by_name(object, kTakenBy);
  if (taken == nullptr || taken_by == nullptr)
    return fail("the scheduler's object does not hear of CPUs that are taken",
                "include scheds/lib/taken.bpf.h in it");
  const bool traced = !kernel::kernel_functions({"scx_bpf_reenqueue_local___v2"}).empty();
  bpf_program__set_autoload(taken, !traced);
  bpf_program__set_autoload(taken_by, traced);
  if (traced) release = nullptr;
  return {};
}

Error load_refusal(std::string_view name, int err) {
  const kernel::Refusal why = kernel::LibbpfMessages::refusal();
  Error error = kernel::bpf_refusal(fmt::format("load the scheduler {}", name), err, why.reason, why.program);
  // sched_ext changes with each version, more than anything else that flowtap needs.
  if (!why.program.empty() || (err != EPERM && err != EACCES))
    error.hint = fmt::format(
        "our schedulers are tested on Linux 6.18 and 7.3, this is {}; the rest of flowtap works without them",
        kernel_release());
  return error;
}

void LinkDeleter::operator()(bpf_link* link) const noexcept {
  bpf_link__destroy(link);
}

Result<Attached> Attached::attach(bpf_object* object, bpf_map* ops, const StartOptions& options) {
  FTAP_TRY(options.kept->keep(object));
  FTAP_TRY_ASSIGN(map, find_map(object, "ftap_exits"));
  FTAP_TRY_ASSIGN(exits, kernel::MapView<ftap_exit>::map(bpf_map__fd(map), 1));
  // This check comes first: a scheduler that has begun but then may not run would have made dispatches that nobody
  // counts.
  Link taken;
  if (bpf_program* const taken_by = bpf_object__find_program_by_name(object, kTakenBy);
      taken_by != nullptr && bpf_program__autoload(taken_by)) {
    taken.reset(bpf_program__attach(taken_by));
    if (!taken)
      return std::unexpected(kernel::bpf_refusal(fmt::format("start the scheduler {}", bpf_map__name(ops)),
                                                 errno, kernel::LibbpfMessages::reason()));
  }
  FTAP_TRY_ASSIGN(started, attach_ahead_of_others(ops));
  const auto [link, err] = started;
  const bool linked = link != nullptr;
  Attached attached(Link(link), std::move(taken), std::move(exits));
  // A failure during the start is only told to the scheduler: the link exists even where nothing stands behind it.
  if (const auto exit = attached.exited(); exit && !exit->restart)
    return fail(fmt::format("the kernel refused the scheduler {}: {}", bpf_map__name(ops), exit->sentence),
                "the kernel's log may say more");
  if (linked) return attached;
  if (err == EINVAL)
    return fail(fmt::format("the kernel refused the scheduler {}: {}", bpf_map__name(ops), errno_text(err)),
                "the kernel's log says why; sched_ext does not go together with isolcpus=, for example");
  return std::unexpected(kernel::bpf_refusal(fmt::format("start the scheduler {}", bpf_map__name(ops)), err,
                                             kernel::LibbpfMessages::reason()));
}

std::optional<Exit> Attached::exited() const {
  ftap_exit& exit = exits_.elements()[0];
  static_assert(sizeof(exit.kind) == sizeof(std::int64_t));
  // ops.exit writes this last, with an atomic, so everything before it is complete.
  if (std::atomic_ref<long long>(exit.kind).load(std::memory_order_acquire) == 0) return std::nullopt;
  return read_exit(exit);
}

Result<std::unique_ptr<stats::SlotSource>> read_slots(bpf_object* object) {
  FTAP_TRY_ASSIGN(map, find_map(object, "ftap_slots"));
  FTAP_TRY_ASSIGN(blocks, kernel::MapView<ftap_block>::map(bpf_map__fd(map), bpf_map__max_entries(map)));
  return std::make_unique<kernel::SlotReader>(std::move(blocks));
}

}  // namespace flowtap::scheds
