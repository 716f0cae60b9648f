#include "kernel/log/log_programs.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "kernel/libbpf_messages.hpp"
#include "kernel/log/log_choice.hpp"
#include "kernel/log/log_file_systems.hpp"
#include "kernel/preemption.hpp"
#include "kernel/requirements.hpp"
#include "logtap.skel.h"

namespace flowtap::kernel {
namespace {

using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;

Result<Fd> hold(int fd, const std::string& what) {
  Fd held(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!held.valid()) return fail_errno(errno, "cannot hold " + what);
  return held;
}

Result<Fd> hold_map(const bpf_object* object, const std::string& name) {
  const bpf_map* map = bpf_object__find_map_by_name(object, name.c_str());
  if (map == nullptr) return fail("the log tap's object has no map " + name);
  return hold(bpf_map__fd(map), name);
}

Result<LogGeneration> hold_all(const bpf_object* object) {
  LogGeneration generation;
  for (const auto& [name, place] : std::span(kLogMaps).first<kProgramMaps>()) {
    FTAP_TRY_ASSIGN(held, hold_map(object, "ftap_" + std::string(name)));
    generation.maps.*place = std::move(held);
  }
  (void)generation.make_names();
  bpf_program* on = nullptr;
  bpf_object__for_each_program(on, object) {
    const auto hook = hook_of(on);
    if (!hook) continue;
    const std::string name = "ftap_" + *hook;
    const bpf_program* handler = bpf_object__find_program_by_name(object, name.c_str());
    if (handler == nullptr) return fail("the log tap's object has no program " + name);
    if (!bpf_program__autoload(handler)) continue;
    FTAP_TRY_ASSIGN(program, hold(bpf_program__fd(handler), name));
    FTAP_TRY_ASSIGN(older, hold_map(object, "ftap_old_" + *hook));
    generation.handlers.push_back({*hook, std::move(program), std::move(older)});
  }
  return generation;
}

enum class AttachTurn { kSecond, kFirst, kExec };

AttachTurn turn_of(std::string_view hook) {
  if (is_second(hook)) return AttachTurn::kSecond;
  return hook == kExecHook ? AttachTurn::kExec : AttachTurn::kFirst;
}

bool is_loaded(const bpf_object* object, std::string_view hook) {
  const bpf_program* handler =
      bpf_object__find_program_by_name(object, ("ftap_" + std::string(hook)).c_str());
  return handler != nullptr && bpf_program__autoload(handler);
}

}  // namespace

std::string_view backend_name(LogBackend backend) {
  switch (backend) {
    case LogBackend::kSysExit:
      return "sys_exit";
    case LogBackend::kFunctions:
      return "fexit";
  }
  return {};
}

bool wants_seconds(const LogOptions& options) {
  return options.seconds ? *options.seconds : may_preempt(preemption_mode(options.host_root));
}

void LogSkeletonDeleter::operator()(logtap_bpf* skeleton) const noexcept {
  logtap_bpf::destroy(skeleton);
}

Result<LogOpened> LogOpened::open(const LogOptions& options, const std::vector<LogHook>& hooks, int notes) {
  const LibbpfMessages messages;
  LogSkeleton skeleton(logtap_bpf::open());
  if (!skeleton) return std::unexpected(bpf_refusal("open the log tap", errno, LibbpfMessages::refusal()));
  const int nr_cpus = libbpf_num_possible_cpus();
  if (nr_cpus <= 0) return fail_errno(-nr_cpus, "cannot count the possible CPUs");
  const LogBackend backend = options.backend.value_or(LogBackend::kSysExit);
  const bool has_seconds = choose_programs(skeleton->obj, backend, wants_seconds(options), hooks);
  const std::uint32_t lanes = has_seconds ? 2 * FTAP_NR_LANES : FTAP_NR_LANES;
  const std::array<std::pair<bpf_map*, std::uint32_t>, 2> sizes{
      {{skeleton->maps.ftap_ring, options.ring_bytes},
       {skeleton->maps.ftap_scratches, lanes * static_cast<std::uint32_t>(nr_cpus)}}};
  for (const auto& [map, entries] : sizes) {
    if (const int err = bpf_map__set_max_entries(map, entries); err != 0)
      return fail_errno(-err, std::string("cannot size the map ") + bpf_map__name(map));
  }
  if (notes >= 0)
    if (const int err = bpf_map__reuse_fd(skeleton->maps.ftap_notes, notes); err != 0)
      return fail_errno(-err, "cannot use the log tap's earlier notes");
  skeleton->rodata->ftap_has_seconds = has_seconds;
  skeleton->rodata->ftap_force_above = options.ring_bytes / 4;
  skeleton->rodata->ftap_nr_cpus = static_cast<std::uint32_t>(nr_cpus);
  skeleton->rodata->ftap_sees_all_files = backend == LogBackend::kSysExit ? 1 : 0;
  const auto seen = seen_file_systems([&](std::string_view hook) { return is_loaded(skeleton->obj, hook); });
  std::ranges::copy(seen, std::begin(skeleton->rodata->ftap_file_systems));
  return LogOpened(std::move(skeleton), options.first_stream);
}

Result<LogLoaded> LogOpened::load() && {
  const LibbpfMessages messages;
  if (const int err = logtap_bpf::load(skeleton_.get()); err != 0)
    return std::unexpected(bpf_refusal("load the log tap", -err, LibbpfMessages::refusal()));
  FTAP_TRY_ASSIGN(generation, hold_all(skeleton_->obj));
  FTAP_TRY_ASSIGN(streams, LogStreams::map(generation.maps));
  streams.raise_next(first_ == 0 ? 1 : first_);
  streams.beat();
  return LogLoaded(std::move(skeleton_), std::move(generation));
}

Status LogLive::attach(const bpf_object* object, const bpf_program* program, const std::string& hook) {
  LogHook made;
  made.name = hook;
  FTAP_TRY_ASSIGN(at, hold_map(object, "ftap_at_" + hook));
  made.at = std::move(at);
  FTAP_TRY_ASSIGN(verified, hold(bpf_program__fd(program), made.program_name()));
  made.program = std::move(verified);
  const LogHandler* handler = generation_.handler(hook);
  if (handler == nullptr) return fail("nothing handles the hook " + hook);
  FTAP_TRY(lead_to(made, handler->program.get()));
  const Link link(bpf_program__attach(program), bpf_link__destroy);
  if (!link)
    return std::unexpected(bpf_refusal("attach " + made.program_name(), errno, LibbpfMessages::refusal()));
  FTAP_TRY_ASSIGN(held, hold(bpf_link__fd(link.get()), made.program_name()));
  made.link = std::move(held);
  hooks_.push_back(std::move(made));
  return {};
}

Result<LogLive> LogLoaded::attach() && {
  const LibbpfMessages messages;
  LogLive live;
  live.generation_ = std::move(generation_);
  // The programs that find new streams come last, so that no stream is registered before its bytes are seen.
  for (const AttachTurn turn : {AttachTurn::kSecond, AttachTurn::kFirst, AttachTurn::kExec}) {
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, skeleton_->obj) {
      const auto hook = hook_of(program);
      if (hook && turn_of(*hook) == turn && bpf_program__autoload(program))
        FTAP_TRY(live.attach(skeleton_->obj, program, *hook));
    }
  }
  return live;
}

Result<bool> LogLive::keep_pinned() const {
  // What an older build has pinned is removed piece by piece.
  if (!pinned_ || !older_.empty()) return false;
  FTAP_TRY_ASSIGN(parts, pinned_->keep(log_abi(), generation_.pins()));
  // The hooks come last: without them the rest is worthless.
  FTAP_TRY_ASSIGN(hooks, pinned_->keep(LogPins::kHooks, pins_of(hooks_)));
  return parts || hooks;
}

LogBackend LogLive::backend() const {
  return generation_.handler(kCallsHook) == nullptr ? LogBackend::kFunctions : LogBackend::kSysExit;
}

bool LogLive::has_seconds() const {
  return std::ranges::any_of(generation_.handlers, is_second, &LogHandler::hook);
}

Status LogLive::check_file(const OpenFile& file) const {
  if (backend() == LogBackend::kSysExit) return {};
  const auto magic = static_cast<long>(file.file_system);
  const auto has_hook = [this](std::string_view hook) { return generation_.handler(hook) != nullptr; };
  if (sees_file_system(magic, has_hook)) return {};
  return unseen_file("/proc/" + std::to_string(file.pid) + "/fd/" + std::to_string(file.fd), magic);
}

std::vector<std::string> LogLive::program_names() const {
  std::vector<std::string> names;
  names.reserve(hooks_.size());
  for (const LogHook& hook : hooks_) names.push_back(hook.program_name());
  return names;
}

std::vector<Result<ProgramStats>> LogLive::program_stats(bool run_stats) const {
  std::vector<Result<ProgramStats>> all;
  all.reserve(hooks_.size());
  for (const LogHook& hook : hooks_) {
    if (hook.program.valid())
      all.push_back(read_program_stats(hook.program_name(), hook.program.get(), run_stats));
    else
      all.push_back(fail_errno(EPERM, "cannot open the BPF program " + hook.program_name(),
                               "only CAP_SYS_ADMIN may open what an earlier flowtapd has loaded"));
  }
  return all;
}

}  // namespace flowtap::kernel
