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
#include "kernel/requirements.hpp"
#include "logtap.skel.h"

namespace flowtap::kernel {
namespace {

constexpr std::string_view kLinkPrefix = "link_";

constexpr const char* kDetachHint = "flowtapd --detach removes what is pinned, so that capture begins anew";

using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;

// Names of the pins, and where each map is kept.
constexpr std::array<std::pair<std::string_view, Fd LogMaps::*>, 6> kMaps{{{"ring", &LogMaps::ring},
                                                                           {"streams", &LogMaps::streams},
                                                                           {"control", &LogMaps::control},
                                                                           {"targets", &LogMaps::targets},
                                                                           {"filter", &LogMaps::filter},
                                                                           {"marks", &LogMaps::marks}}};

Result<Fd> hold(int fd, const char* what) {
  Fd held(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!held.valid()) return fail_errno(errno, std::string("cannot hold ") + what);
  return held;
}

Result<LogMaps> hold_maps(const logtap_bpf& skeleton) {
  LogMaps maps;
  for (const auto& [name, place] : kMaps) {
    const std::string full = "ftap_" + std::string(name);
    const bpf_map* map = bpf_object__find_map_by_name(skeleton.obj, full.c_str());
    if (map == nullptr) return fail("the log tap's object has no map " + full);
    FTAP_TRY_ASSIGN(held, hold(bpf_map__fd(map), full.c_str()));
    maps.*place = std::move(held);
  }
  return maps;
}

constexpr std::string_view kFunction = "fexit/";

bool is_function(const bpf_program* program) {
  return std::string_view(bpf_program__section_name(program)).starts_with(kFunction);
}

// Of the functions those that this kernel has; of the backends one.
void choose_programs(bpf_object* object, LogBackend backend) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    const std::string_view section = bpf_program__section_name(program);
    if (is_function(program)) {
      const std::string function(section.substr(kFunction.size()));
      const bool there = libbpf_find_vmlinux_btf_id(function.c_str(), BPF_TRACE_FEXIT) > 0;
      bpf_program__set_autoload(program, backend == LogBackend::kFunctions && there);
    } else if (section == "tp_btf/sys_exit") {
      bpf_program__set_autoload(program, backend == LogBackend::kSysExit);
    }
  }
}

Result<Fd> program_of(int link, const std::string& name) {
  bpf_link_info info{};
  __u32 size = sizeof(info);
  if (bpf_link_get_info_by_fd(link, &info, &size) != 0)
    return fail_errno(errno, "cannot ask for the link of " + name);
  Fd program(bpf_prog_get_fd_by_id(info.prog_id));
  // Opening by id needs CAP_SYS_ADMIN, what else a take-over does does not: only the statistics are missing then.
  if (!program.valid() && errno != EPERM) return fail_errno(errno, "cannot open the program " + name);
  return program;
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

Result<LogOpened> LogOpened::open(const LogOptions& options) {
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
  choose_programs(skeleton->obj, options.backend);
  return LogOpened(std::move(skeleton), options.first_stream);
}

Result<LogLoaded> LogOpened::load() && {
  const LibbpfMessages messages;
  if (const int err = logtap_bpf::load(skeleton_.get()); err != 0)
    return std::unexpected(bpf_refusal("load the log tap", -err, LibbpfMessages::reason()));
  FTAP_TRY_ASSIGN(maps, hold_maps(*skeleton_));
  FTAP_TRY_ASSIGN(streams, LogStreams::map(maps));
  streams.raise_next(first_ == 0 ? 1 : first_);
  streams.beat();
  return LogLoaded(std::move(skeleton_), std::move(maps));
}

Status LogLive::attach(const bpf_program* program) {
  const char* name = bpf_program__name(program);
  const Link link(bpf_program__attach(program), bpf_link__destroy);
  if (!link)
    return std::unexpected(bpf_refusal(std::string("attach ") + name, errno, LibbpfMessages::reason()));
  FTAP_TRY_ASSIGN(held, hold(bpf_link__fd(link.get()), name));
  FTAP_TRY_ASSIGN(verified, hold(bpf_program__fd(program), name));
  programs_.push_back({name, std::move(held), std::move(verified)});
  return {};
}

Result<LogLive> LogLoaded::attach() && {
  const LibbpfMessages messages;
  LogLive live;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->obj) {
    if (program != skeleton_->progs.ftap_exec && bpf_program__autoload(program))
      FTAP_TRY(live.attach(program));
  }
  // Last, so that no stream is registered before its bytes are seen.
  FTAP_TRY(live.attach(skeleton_->progs.ftap_exec));
  live.maps_ = std::move(maps_);
  return live;
}

Result<LogLive> LogLive::take_over(std::vector<Pin> pins) {
  LogLive live;
  live.taken_over_ = true;
  for (Pin& pin : pins) {
    if (pin.name.starts_with(kLinkPrefix)) {
      const std::string name = pin.name.substr(kLinkPrefix.size());
      FTAP_TRY_ASSIGN(program, program_of(pin.object.get(), name));
      live.programs_.push_back({name, std::move(pin.object), std::move(program)});
      continue;
    }
    for (const auto& [name, place] : kMaps)
      if (pin.name == name) live.maps_.*place = std::move(pin.object);
  }
  for (const auto& [name, place] : kMaps)
    if (!(live.maps_.*place).valid())
      return fail("the pinned log tap lacks its map " + std::string(name), kDetachHint);
  if (live.programs_.empty()) return fail("the pinned log tap has no programs", kDetachHint);
  return live;
}

Status LogLive::pin(const LogPins& pins) const {
  std::vector<std::pair<std::string, int>> objects;
  objects.reserve(kMaps.size() + programs_.size());
  for (const auto& [name, place] : kMaps) objects.emplace_back(name, (maps_.*place).get());
  for (const LogProgram& program : programs_)
    objects.emplace_back(std::string(kLinkPrefix) + program.name, program.link.get());
  return pins.pin(objects);
}

// By now this one captures, so no byte goes by unseen; but what waits in the other's ring is lost with it, and its
// streams begin anew here. A flip without that, where both rings are drained once, is for later.
void LogLive::replace_others(const LogPins& pins) {
  if (Status removed = pins.remove_others(); !removed) left_over_ = std::move(removed).error();
}

LogBackend LogLive::backend() const {
  const auto calls = std::ranges::find(programs_, "ftap_sys_exit", &LogProgram::name);
  return calls == programs_.end() ? LogBackend::kFunctions : LogBackend::kSysExit;
}

std::vector<Result<ProgramStats>> LogLive::program_stats(bool run_stats) const {
  std::vector<Result<ProgramStats>> all;
  all.reserve(programs_.size());
  for (const LogProgram& program : programs_) {
    if (program.program.valid())
      all.push_back(read_program_stats(program.name, program.program.get(), run_stats));
    else
      all.push_back(fail_errno(EPERM, "cannot open the BPF program " + program.name,
                               "what an earlier flowtapd has loaded is opened with CAP_SYS_ADMIN alone"));
  }
  return all;
}

Result<LogLive> start_log_tap(const LogOptions& options) {
  FTAP_TRY(check_bpf_requirements());
  const LogPins pins(options.bpffs);
  Status pinnable = options.bpffs.empty() ? fail("pinning is switched off") : pins.check();
  if (pinnable) {
    FTAP_TRY_ASSIGN(found, pins.find());
    if (!found.empty()) {
      FTAP_TRY_ASSIGN(live, LogLive::take_over(std::move(found)));
      FTAP_TRY_ASSIGN(streams, live.streams());
      streams.raise_next(options.first_stream);
      live.replace_others(pins);  // which the process that pinned may not have come to
      return live;
    }
  }
  FTAP_TRY_ASSIGN(opened, LogOpened::open(options));
  FTAP_TRY_ASSIGN(loaded, std::move(opened).load());
  FTAP_TRY_ASSIGN(live, std::move(loaded).attach());
  if (pinnable) pinnable = live.pin(pins);
  if (pinnable)
    live.replace_others(pins);
  else
    live.unpinned_ = std::move(pinnable).error();
  return live;
}

Status detach_log_tap(const std::string& bpffs) {
  const LogPins pins(bpffs);
  FTAP_TRY_ASSIGN(mounted, pins.mounted());
  return mounted ? pins.remove_all() : Status{};
}

}  // namespace flowtap::kernel
