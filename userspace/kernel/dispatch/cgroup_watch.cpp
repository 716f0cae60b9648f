#include "kernel/dispatch/cgroup_watch.hpp"

#include <bpf/libbpf.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>

#include "bpf/abi/cgroup_event.h"
#include "kernel/libbpf_messages.hpp"
#include "kernel/requirements.hpp"
#include "usage.skel.h"

namespace flowtap::kernel {

using stats::CgroupEvent;

namespace {

std::optional<CgroupEvent> parse_end(std::span<const std::byte> record) {
  ftap_process_end end;
  if (record.size() < sizeof(end)) return std::nullopt;
  std::memcpy(&end, record.data(), sizeof(end));
  if (end.kind != FTAP_CGROUP_ENDED && end.kind != FTAP_CGROUP_PROCESS_ENDED) return std::nullopt;
  CgroupEvent out{.id = end.id, .gone = false, .path = {}};
  (end.kind == FTAP_CGROUP_ENDED ? out.ended : out.process_ended) =
      // steady_clock is CLOCK_MONOTONIC.
      stats::ProcessEnd{.status = static_cast<int>(end.status),
                        .oom = (end.flags & FTAP_END_OOM) != 0,
                        .started = (end.flags & FTAP_END_STARTED) != 0,
                        .time = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(end.time)),
                        .name = std::string(end.name, ::strnlen(end.name, sizeof(end.name))),
                        .outer_parent = (end.flags & FTAP_END_OUTER_PARENT) != 0};
  return out;
}

std::optional<CgroupEvent> parse_begin(std::span<const std::byte> record) {
  ftap_container_begin begin;
  if (record.size() < sizeof(begin)) return std::nullopt;
  std::memcpy(&begin, record.data(), sizeof(begin));
  if (begin.kind != FTAP_CGROUP_BEGAN) return std::nullopt;
  CgroupEvent out{.id = begin.id, .gone = false, .path = {}};
  out.began = begin.pid;
  return out;
}

// Runtimes make the namespaces of containers inside ours. 0: ours is not known, and no container's end is reported.
std::uint32_t own_pid_namespace() {
  struct stat about{};
  return ::stat("/proc/self/ns/pid", &about) == 0 ? static_cast<std::uint32_t>(about.st_ino) : 0;
}

}  // namespace

std::optional<CgroupEvent> parse_cgroup_event(std::span<const std::byte> record) {
  if (auto end = parse_end(record)) return end;
  if (auto begin = parse_begin(record)) return begin;
  ftap_cgroup_event event;
  if (record.size() < sizeof(event)) return std::nullopt;
  std::memcpy(&event, record.data(), sizeof(event));
  if (event.kind != FTAP_CGROUP_MADE && event.kind != FTAP_CGROUP_GONE && event.kind != FTAP_CGROUP_EMPTY)
    return std::nullopt;
  CgroupEvent out{.id = event.id, .gone = event.kind == FTAP_CGROUP_GONE, .path = {}};
  out.empty = event.kind == FTAP_CGROUP_EMPTY;
  // A path that was cut off would name another cgroup.
  if (event.length > 1 && event.length < FTAP_CGROUP_PATH && event.path[0] == '/')
    out.path.assign(event.path, ::strnlen(event.path, event.length - 1));
  return out;
}

void CgroupWatch::SkeletonDeleter::operator()(usage_bpf* skeleton) const noexcept {
  usage_bpf::destroy(skeleton);
}
void CgroupWatch::RingDeleter::operator()(ring_buffer* ring) const noexcept {
  ring_buffer__free(ring);
}

CgroupWatch::~CgroupWatch() = default;

Result<std::unique_ptr<CgroupWatch>> CgroupWatch::start(std::uint32_t hierarchy) {
  FTAP_TRY(check_bpf_requirements());
  const LibbpfMessages messages;
  std::unique_ptr<CgroupWatch> watch(new CgroupWatch);
  watch->skeleton_.reset(usage_bpf::open());
  if (watch->skeleton_) {
    watch->skeleton_->rodata->ftap_pid_ns = own_pid_namespace();
    watch->skeleton_->rodata->ftap_usage_hierarchy = hierarchy;
  }
  if (!watch->skeleton_ || usage_bpf::load(watch->skeleton_.get()) != 0)
    return std::unexpected(
        bpf_refusal("load the programs that watch cgroups", errno, LibbpfMessages::refusal()));
  auto& progs = watch->skeleton_->progs;
  auto& links = watch->skeleton_->links;  // owned by the skeleton
  for (const auto& [program, link] : {std::pair(progs.ftap_made, &links.ftap_made),
                                      {progs.ftap_gone, &links.ftap_gone},
                                      {progs.ftap_empty, &links.ftap_empty},
                                      {progs.ftap_began, &links.ftap_began},
                                      {progs.ftap_ended, &links.ftap_ended}}) {
    *link = bpf_program__attach(program);
    if (*link == nullptr)
      return std::unexpected(
          bpf_refusal(std::string("attach ") + bpf_program__name(program), errno, LibbpfMessages::refusal()));
  }
  watch->ring_.reset(
      ring_buffer__new(bpf_map__fd(watch->skeleton_->maps.ftap_cgroups), note, watch.get(), nullptr));
  if (!watch->ring_) return fail_errno(errno, "cannot map the ring of cgroups");
  return watch;
}

int CgroupWatch::note(void* watch, void* record, unsigned long size) noexcept {
  auto* self = static_cast<CgroupWatch*>(watch);
  if (auto event = parse_cgroup_event({static_cast<const std::byte*>(record), size}))
    (*self->take_)(std::move(*event));
  else
    ++self->broken_;
  return 0;
}

int CgroupWatch::ends() const {
  return ring_buffer__epoll_fd(ring_.get());
}

bool CgroupWatch::take(const std::function<void(CgroupEvent)>& take) {
  take_ = &take;
  const int taken = ring_buffer__consume(ring_.get());
  take_ = nullptr;
  const std::uint64_t lost =
      std::atomic_ref(skeleton_->bss->ftap_lost).load(std::memory_order_relaxed) + broken_;
  const bool whole = taken >= 0 && lost == lost_;
  lost_ = lost;
  return whole;
}

}  // namespace flowtap::kernel
