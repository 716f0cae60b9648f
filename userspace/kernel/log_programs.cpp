#include "kernel/log_programs.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "kernel/libbpf_messages.hpp"
#include "kernel/log_file_systems.hpp"
#include "kernel/requirements.hpp"
#include "logtap.skel.h"

namespace flowtap::kernel {
namespace {

using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;

// Of the names in bpf/lib/log_hook.bpf.h.
constexpr std::string_view kOn = "ftap_on_";
constexpr std::string_view kFunction = "fexit/";

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

// "exec" of ftap_on_exec; nothing: it is no such program.
std::optional<std::string> hook_of(const bpf_program* program) {
  const std::string_view name = bpf_program__name(program);
  if (!name.starts_with(kOn)) return std::nullopt;
  return std::string(name.substr(kOn.size()));
}

Result<LogGeneration> hold_all(const bpf_object* object) {
  LogGeneration generation;
  for (const auto& [name, place] : kLogMaps) {
    FTAP_TRY_ASSIGN(held, hold_map(object, "ftap_" + std::string(name)));
    generation.maps.*place = std::move(held);
  }
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

// Of the functions those that this kernel has; of the backends one.
bool is_wanted(const bpf_program* program, LogBackend backend) {
  const std::string_view section = bpf_program__section_name(program);
  if (section == "tp_btf/sys_exit") return backend == LogBackend::kSysExit;
  if (!section.starts_with(kFunction)) return true;
  const std::string function(section.substr(kFunction.size()));
  return backend == LogBackend::kFunctions &&
         libbpf_find_vmlinux_btf_id(function.c_str(), BPF_TRACE_FEXIT) > 0;
}

void use_map(bpf_object* object, const std::string& name, bool wanted) {
  if (bpf_map* map = bpf_object__find_map_by_name(object, name.c_str()); map != nullptr)
    bpf_map__set_autocreate(map, wanted);
}

void choose_programs(bpf_object* object, LogBackend backend, const std::vector<LogHook>& hooks) {
  bpf_program* on = nullptr;
  bpf_object__for_each_program(on, object) {
    const auto hook = hook_of(on);
    if (!hook) continue;
    const bool wanted = is_wanted(on, backend);
    const bool is_there = std::ranges::find(hooks, *hook, &LogHook::name) != hooks.end();
    bpf_program__set_autoload(on, wanted && !is_there);
    use_map(object, "ftap_at_" + *hook, wanted && !is_there);
    use_map(object, "ftap_old_" + *hook, wanted);
    if (bpf_program* handler = bpf_object__find_program_by_name(object, ("ftap_" + *hook).c_str());
        handler != nullptr)
      bpf_program__set_autoload(handler, wanted);
  }
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

void LogSkeletonDeleter::operator()(logtap_bpf* skeleton) const noexcept {
  logtap_bpf::destroy(skeleton);
}

Result<LogOpened> LogOpened::open(const LogOptions& options, const std::vector<LogHook>& hooks) {
  const LibbpfMessages messages;
  LogSkeleton skeleton(logtap_bpf::open());
  if (!skeleton) return std::unexpected(bpf_refusal("open the log tap", errno, LibbpfMessages::reason()));
  const int nr_cpus = libbpf_num_possible_cpus();
  if (nr_cpus <= 0) return fail_errno(-nr_cpus, "cannot count the possible CPUs");
  const std::array<std::pair<bpf_map*, std::uint32_t>, 2> sizes{
      {{skeleton->maps.ftap_ring, options.ring_bytes},
       {skeleton->maps.ftap_scratches, FTAP_NR_LANES * static_cast<std::uint32_t>(nr_cpus)}}};
  for (const auto& [map, entries] : sizes) {
    if (const int err = bpf_map__set_max_entries(map, entries); err != 0)
      return fail_errno(-err, std::string("cannot size the map ") + bpf_map__name(map));
  }
  skeleton->rodata->ftap_force_above = options.ring_bytes / 4;
  skeleton->rodata->ftap_nr_cpus = static_cast<std::uint32_t>(nr_cpus);
  const LogBackend backend = options.backend.value_or(LogBackend::kSysExit);
  choose_programs(skeleton->obj, backend, hooks);
  skeleton->rodata->ftap_sees_all_files = backend == LogBackend::kSysExit ? 1 : 0;
  const auto seen = seen_file_systems([&](std::string_view hook) { return is_loaded(skeleton->obj, hook); });
  std::ranges::copy(seen, std::begin(skeleton->rodata->ftap_file_systems));
  return LogOpened(std::move(skeleton), options.first_stream);
}

Result<LogLoaded> LogOpened::load() && {
  const LibbpfMessages messages;
  if (const int err = logtap_bpf::load(skeleton_.get()); err != 0)
    return std::unexpected(bpf_refusal("load the log tap", -err, LibbpfMessages::reason()));
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
    return std::unexpected(bpf_refusal("attach " + made.program_name(), errno, LibbpfMessages::reason()));
  FTAP_TRY_ASSIGN(held, hold(bpf_link__fd(link.get()), made.program_name()));
  made.link = std::move(held);
  hooks_.push_back(std::move(made));
  return {};
}

Result<LogLive> LogLoaded::attach() && {
  const LibbpfMessages messages;
  LogLive live;
  live.generation_ = std::move(generation_);
  // What finds new streams comes last, so that none is registered before its bytes are seen.
  for (const bool last : {false, true}) {
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, skeleton_->obj) {
      const auto hook = hook_of(program);
      if (hook && (*hook == kExecHook) == last && bpf_program__autoload(program))
        FTAP_TRY(live.attach(skeleton_->obj, program, *hook));
    }
  }
  return live;
}

LogBackend LogLive::backend() const {
  return generation_.handler(kCallsHook) == nullptr ? LogBackend::kFunctions : LogBackend::kSysExit;
}

Status LogLive::check_file(const OpenFile& file) const {
  if (backend() == LogBackend::kSysExit) return {};
  const auto magic = static_cast<long>(file.file_system);
  const auto has_hook = [this](std::string_view hook) { return generation_.handler(hook) != nullptr; };
  if (sees_file_system(magic, has_hook)) return {};
  return unseen_file("/proc/" + std::to_string(file.pid) + "/fd/" + std::to_string(file.fd), magic);
}

std::vector<Result<ProgramStats>> LogLive::program_stats(bool run_stats) const {
  std::vector<Result<ProgramStats>> all;
  all.reserve(hooks_.size());
  for (const LogHook& hook : hooks_) {
    if (hook.program.valid())
      all.push_back(read_program_stats(hook.program_name(), hook.program.get(), run_stats));
    else
      all.push_back(fail_errno(EPERM, "cannot open the BPF program " + hook.program_name(),
                               "what an earlier flowtapd has loaded is opened with CAP_SYS_ADMIN alone"));
  }
  return all;
}

}  // namespace flowtap::kernel
