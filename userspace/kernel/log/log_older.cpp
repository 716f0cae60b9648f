#include "kernel/log/log_older.hpp"

#include <bpf/bpf.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace flowtap::kernel {
namespace {

// A stream without these fields cannot be used.
constexpr std::array<std::string_view, 8> kNeeded{"id",  "bytes", "lost",  "ino",
                                                  "dev", "kind",  "state", "object"};

}  // namespace

Result<LogOlder> LogOlder::open(const LogPins& pins, const std::string& layout) {
  FTAP_TRY_ASSIGN(found, pins.find(layout));
  FTAP_TRY_ASSIGN(generation, LogGeneration::open(std::move(found)));
  FTAP_TRY_ASSIGN(slots, MapLayout::of(generation.maps.streams.get()));
  for (const std::string_view name : kNeeded)
    if (slots.find(name) == nullptr) return fail("its streams have no " + std::string(name));
  FTAP_TRY_ASSIGN(streams, Mapping::map(generation.maps.streams.get(), slots.stride() * slots.entries()));
  FTAP_TRY_ASSIGN(control, MapView<ftap_log_control>::map(generation.maps.control.get(), 1));
  LogOlder older(layout, std::move(generation), std::move(slots));
  older.streams_ = std::move(streams);
  older.control_ = std::move(control);
  return older;
}

LogStream LogOlder::read(const std::byte* slot, std::uint32_t index) const {
  LogStream stream;
  stream.stream = slots_.read(slot, "id");
  stream.slot = index;
  stream.state = static_cast<ftap_stream_state>(slots_.read(slot, "state"));
  stream.target = {.device = static_cast<std::uint32_t>(slots_.read(slot, "dev")),
                   .inode = slots_.read(slot, "ino"),
                   .kind = static_cast<ftap_log_kind>(slots_.read(slot, "kind")),
                   .cgroup = slots_.read(slot, "cgroup"),
                   .pid = static_cast<std::uint32_t>(slots_.read(slot, "pid")),
                   .fds = static_cast<std::uint32_t>(slots_.read(slot, "fds")),
                   .object = slots_.read(slot, "object"),
                   .rule = static_cast<ftap_log_rule>(slots_.read(slot, "rule")),
                   .start_time = slots_.read(slot, "start_time")};
  stream.passed = slots_.read(slot, "bytes");
  for (std::size_t i = 0; i < stream.lost.size(); ++i) stream.lost.at(i) = slots_.read(slot, "lost", i);
  stream.last = slots_.read(slot, "last");
  stream.written = slots_.read(slot, "written");
  return stream;
}

std::vector<LogStream> LogOlder::sweep() const {
  std::vector<LogStream> all;
  const auto* slot = static_cast<const std::byte*>(streams_.start());
  for (std::uint32_t i = 0; i < slots_.entries(); ++i, slot += slots_.stride()) {
    if (slots_.read(slot, "id") == 0 || slots_.read(slot, "state") == FTAP_STREAM_FREE) continue;
    const LogStream stream = read(slot, i);
    // As in LogStreams::sweep().
    if (slots_.read(slot, "id") == stream.stream && !dropped_.contains(stream.stream)) all.push_back(stream);
  }
  return all;
}

std::vector<LogMark> LogOlder::marks() const {
  std::vector<LogMark> all;
  const int map = generation_.maps.marks.get();
  std::uint64_t at = 0;
  bpf_map_info info{};
  __u32 size = sizeof(info);
  if (bpf_map_get_info_by_fd(map, &info, &size) != 0 || info.key_size != sizeof(at)) return all;
  for (const std::uint64_t* before = nullptr; bpf_map_get_next_key(map, before, &at) == 0;
       before = &all.back().cgroup) {
    LogMark& mark = all.emplace_back(at);
    // Older builds only had a 1 there.
    if (info.value_size == sizeof(mark.mounts)) (void)bpf_map_lookup_elem(map, &at, &mark.mounts);
  }
  return all;
}

std::map<std::uint32_t, LogMember> LogOlder::members() const {
  return read_members(generation_.maps.members.get());
}

void LogOlder::mute() {
  __atomic_store_n(&control_.elements().front().muted, 1U, __ATOMIC_RELEASE);
}

bool LogOlder::is_muted() const {
  return __atomic_load_n(&control_.elements().front().muted, __ATOMIC_ACQUIRE) != 0;
}

}  // namespace flowtap::kernel
