#include "kernel/log/log_streams.hpp"

#include <bpf/bpf.h>
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <string>

namespace flowtap::kernel {
namespace {

// std::atomic_ref in short; the ABI's __u64 is not std::uint64_t.
template <typename T>
T load(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

template <typename T>
void store(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

ftap_log_target key_of(const LogTarget& target) {
  return {target.inode, target.device, 0};
}

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// The order is that of open_stream() in bpf/lib/log/streams.bpf.h: the state is written last.
void fill(ftap_stream& stream, const LogTarget& target) {
  store<__u64>(stream.bytes, 0);
  for (auto& lost : stream.lost) store<__u64>(lost, 0);
  store<__u64>(stream.cgroup, target.cgroup);
  store<__u64>(stream.ino, target.inode);
  store<__u32>(stream.dev, target.device);
  store<__u32>(stream.pid, target.pid);
  store<__u16>(stream.kind, static_cast<__u16>(target.kind));
  store<__u32>(stream.fds, target.fds);
  store<__u64>(stream.last, 0);
  store<__u64>(stream.object, target.object);
  store<__u64>(stream.start_time, target.start_time);
  store<__u32>(stream.rule, target.rule);
  store<__u64>(stream.written, 0);
  store<__u16>(stream.state, FTAP_STREAM_OPEN);
}

LogStream read_slot(const ftap_stream& slot, std::uint32_t index) {
  LogStream stream;
  stream.stream = load(slot.id);
  stream.slot = index;
  stream.state = static_cast<ftap_stream_state>(load(slot.state));
  stream.target = {load(slot.dev),
                   load(slot.ino),
                   static_cast<ftap_log_kind>(load(slot.kind)),
                   load(slot.cgroup),
                   load(slot.pid),
                   load(slot.fds),
                   load(slot.object),
                   static_cast<ftap_log_rule>(load(slot.rule)),
                   load(slot.start_time)};
  stream.passed = load(slot.bytes);
  for (std::size_t i = 0; i < stream.lost.size(); ++i) stream.lost.at(i) = load(slot.lost[i]);
  stream.last = load(slot.last);
  stream.written = load(slot.written);
  return stream;
}

}  // namespace

Result<LogStreams> LogStreams::map(const LogMaps& maps) {
  LogStreams all;
  FTAP_TRY_ASSIGN(streams, MapView<ftap_stream>::map(maps.streams.get(), FTAP_MAX_STREAMS));
  FTAP_TRY_ASSIGN(control, MapView<ftap_log_control>::map(maps.control.get(), 1));
  FTAP_TRY_ASSIGN(filter, MapView<ftap_filter_line>::map(maps.filter.get(), FTAP_FILTER_LINES));
  all.streams_ = std::move(streams);
  all.control_ = std::move(control);
  all.filter_ = std::move(filter);
  all.targets_ = Fd(::fcntl(maps.targets.get(), F_DUPFD_CLOEXEC, 0));
  all.marks_ = Fd(::fcntl(maps.marks.get(), F_DUPFD_CLOEXEC, 0));
  all.units_ = Fd(::fcntl(maps.units.get(), F_DUPFD_CLOEXEC, 0));
  all.exes_ = Fd(::fcntl(maps.exes.get(), F_DUPFD_CLOEXEC, 0));
  all.members_ = Fd(::fcntl(maps.members.get(), F_DUPFD_CLOEXEC, 0));
  all.names_ = NameMap(maps.names.get());
  if (!all.targets_.valid() || !all.marks_.valid() || !all.units_.valid() || !all.exes_.valid() ||
      !all.members_.valid())
    return fail_errno(errno, "cannot hold the log tap's maps");
  return all;
}

__u32& LogStreams::filter_of(const LogTarget& target) const {
  const __u32 place = ftap_filter_place(target.inode, target.device);
  return filter_.elements()[place / FTAP_FILTER_LINE].count[place % FTAP_FILTER_LINE];
}

Result<std::uint32_t> LogStreams::claim(flow::StreamNo number) {
  const auto slots = streams_.elements();
  const std::uint32_t first = __atomic_fetch_add(&control().hint, 1, __ATOMIC_RELAXED);
  for (std::uint32_t i = 0; i < FTAP_MAX_STREAMS; ++i) {
    const std::uint32_t at = (first + i) % FTAP_MAX_STREAMS;
    __u64 free = 0;
    if (__atomic_compare_exchange_n(&slots[at].id, &free, __u64{number}, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return at;
  }
  __atomic_fetch_add(&control().no_slot, 1, __ATOMIC_RELAXED);
  return fail("all " + std::to_string(FTAP_MAX_STREAMS) + " streams of the log tap are taken");
}

flow::StreamNo LogStreams::take_number() {
  return __atomic_fetch_add(&control().next_stream, 1, __ATOMIC_RELAXED);
}

Result<flow::StreamNo> LogStreams::open(const LogTarget& target) {
  const ftap_log_target key = key_of(target);
  if (target.rule == FTAP_RULE_PROCESS) (void)join(target.pid, {target.pid, target.start_time});
  // A slot that is taken only for a moment looks like a stream to whoever reads the slots meanwhile.
  if (const auto there = find(target)) return *there;
  const flow::StreamNo number = take_number();
  FTAP_TRY_ASSIGN(at, claim(number));
  ftap_stream& slot = streams_.elements()[at];
  fill(slot, target);
  __u32& filter = filter_of(target);
  __atomic_fetch_add(&filter, 1, __ATOMIC_RELEASE);
  if (bpf_map_update_elem(targets_.get(), &key, &at, BPF_NOEXIST) == 0) return number;

  const int err = errno;
  __atomic_fetch_sub(&filter, 1, __ATOMIC_RELEASE);
  store<__u16>(slot.state, FTAP_STREAM_FREE);
  store<__u64>(slot.id, 0);
  const auto other = err == EEXIST ? find(target) : std::nullopt;
  if (!other) return fail_errno(err, "cannot tap inode " + std::to_string(target.inode));
  return *other;
}

std::optional<flow::StreamNo> LogStreams::find(const LogTarget& target) const {
  const ftap_log_target key = key_of(target);
  std::uint32_t slot = 0;
  if (bpf_map_lookup_elem(targets_.get(), &key, &slot) != 0 || slot >= FTAP_MAX_STREAMS) return std::nullopt;
  return load(streams_.elements()[slot].id);
}

Status LogStreams::end(const LogStream& stream) {
  return end(stream, 0);
}

Status LogStreams::abandon(const LogStream& stream) {
  return end(stream, stream.written);
}

Status LogStreams::end(const LogStream& stream, std::uint64_t written) {
  if (stream.slot >= FTAP_MAX_STREAMS) return fail("the log tap has no slot " + std::to_string(stream.slot));
  ftap_stream& slot = streams_.elements()[stream.slot];
  if (load(slot.id) != stream.stream || load(slot.state) != FTAP_STREAM_OPEN) return {};
  const ftap_log_target key = key_of(stream.target);
  std::uint32_t taken = 0;
  if (bpf_map_lookup_and_delete_elem(targets_.get(), &key, &taken) != 0)
    return errno == ENOENT
               ? Status{}
               : fail_errno(errno, "cannot stop tapping inode " + std::to_string(stream.target.inode));
  // A program has just ended it, and has opened another there.
  if (taken != stream.slot && bpf_map_update_elem(targets_.get(), &key, &taken, BPF_NOEXIST) == 0) return {};
  __atomic_fetch_sub(&filter_of(stream.target), 1, __ATOMIC_RELEASE);
  if (const __u64 passed = load(slot.bytes); written > passed) {
    __atomic_fetch_add(&slot.lost[FTAP_LOSS_UNREAD], written - passed, __ATOMIC_RELEASE);
    __atomic_fetch_add(&slot.bytes, written - passed, __ATOMIC_RELEASE);
  }
  store<__u16>(slot.state, FTAP_STREAM_ENDED);
  return {};
}

void LogStreams::note_written(const LogTarget& target, std::uint64_t written) {
  const ftap_log_target key = key_of(target);
  std::uint32_t slot = 0;
  if (bpf_map_lookup_elem(targets_.get(), &key, &slot) != 0 || slot >= FTAP_MAX_STREAMS) return;
  __u64& noted = streams_.elements()[slot].written;
  for (__u64 known = load(noted); known < written;)
    if (__atomic_compare_exchange_n(&noted, &known, written, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return;
}

void LogStreams::free(const LogStream& stream) {
  if (stream.slot >= FTAP_MAX_STREAMS) return;
  ftap_stream& slot = streams_.elements()[stream.slot];
  if (load(slot.id) != stream.stream || load(slot.state) != FTAP_STREAM_ENDED) return;
  names_.forget(stream.stream);
  store<__u16>(slot.state, FTAP_STREAM_FREE);
  store<__u64>(slot.id, 0);
}

std::vector<LogStream> LogStreams::sweep() const {
  std::vector<LogStream> all;
  const auto slots = streams_.elements();
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    if (load(slots[i].id) == 0 || load(slots[i].state) == FTAP_STREAM_FREE) continue;
    all.push_back(read_slot(slots[i], i));
    // The slot has changed hands meanwhile: the next sweep takes what it holds now.
    if (load(slots[i].id) != all.back().stream) all.pop_back();
  }
  return all;
}

void beat_control(ftap_log_control& control) {
  store<__u64>(control.heartbeat, monotonic_ns());
}

void LogStreams::beat() {
  beat_control(control());
}

void LogStreams::wake(bool on) {
  store<__u32>(control().wake, on ? 1 : 0);
}

void LogStreams::mute(bool on) {
  store<__u32>(control().muted, on ? 1 : 0);
}

void LogStreams::raise_next(flow::StreamNo floor) {
  __u64 now = load(control().next_stream);
  while (now < floor && !__atomic_compare_exchange_n(&control().next_stream, &now, __u64{floor}, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
}

Status LogStreams::mark(std::uint64_t cgroup, std::uint32_t mounts) {
  // What we know already is better than nothing.
  if (bpf_map_update_elem(marks_.get(), &cgroup, &mounts, mounts != 0 ? BPF_ANY : BPF_NOEXIST) != 0 &&
      !(mounts == 0 && errno == EEXIST))
    return fail_errno(errno, "cannot mark cgroup " + std::to_string(cgroup));
  return {};
}

namespace {

using UnitName = std::array<char, FTAP_CGROUP_NAME>;

// Another build's map may have keys or values of other sizes. Then nothing is copied.
void copy_entries(int from, int to) {
  bpf_map_info theirs{};
  bpf_map_info ours{};
  __u32 size = sizeof(theirs);
  if (bpf_map_get_info_by_fd(from, &theirs, &size) != 0) return;
  size = sizeof(ours);
  if (bpf_map_get_info_by_fd(to, &ours, &size) != 0) return;
  if (theirs.key_size != ours.key_size || theirs.value_size != ours.value_size) return;
  std::vector<std::byte> key(ours.key_size);
  std::vector<std::byte> value(ours.value_size);
  std::vector<std::byte> before;
  while (bpf_map_get_next_key(from, before.empty() ? nullptr : before.data(), key.data()) == 0) {
    if (bpf_map_lookup_elem(from, key.data(), value.data()) == 0)
      (void)bpf_map_update_elem(to, key.data(), value.data(), BPF_ANY);
    before = key;
  }
}

// These become the map's keys, each with the same value.
template <typename Key, typename Value>
Status replace_keys(int map, const std::vector<Key>& keys, Value value, const char* what) {
  std::vector<Key> surplus;
  Key at{};
  for (const Key* before = nullptr; bpf_map_get_next_key(map, before, &at) == 0; before = &surplus.back())
    surplus.push_back(at);
  const auto is_listed = [&keys](const Key& key) {
    return std::ranges::any_of(keys,
                               [&key](const Key& k) { return std::memcmp(&k, &key, sizeof(Key)) == 0; });
  };
  for (const Key& key : surplus)
    if (!is_listed(key)) (void)bpf_map_delete_elem(map, &key);
  for (const Key& key : keys)
    if (bpf_map_update_elem(map, &key, &value, BPF_ANY) != 0)
      return fail_errno(errno, std::string("cannot list ") + what);
  return {};
}

}  // namespace

void LogStreams::take_lists(const LogMaps& older) {
  copy_entries(older.units.get(), units_.get());
  copy_entries(older.exes.get(), exes_.get());
}

Status LogStreams::list_units(const std::vector<std::string>& names) {
  std::vector<UnitName> keys;
  keys.reserve(names.size());
  for (const std::string& name : names) {
    if (name.size() >= FTAP_CGROUP_NAME) return fail("the unit's name " + name + " is too long");
    std::ranges::copy(name, keys.emplace_back().begin());
  }
  return replace_keys(units_.get(), keys, __u8{1}, "units");
}

Status LogStreams::list_executables(const std::vector<LogExecutable>& executables, std::uint32_t mounts) {
  std::vector<ftap_log_target> keys;
  keys.reserve(executables.size());
  for (const LogExecutable& executable : executables)
    keys.push_back({executable.inode, executable.device, 0});
  return replace_keys(exes_.get(), keys, __u32{mounts}, "executables");
}

void LogStreams::add_counts(const ftap_log_control& older) {
  for (const auto count : {&ftap_log_control::lost_events, &ftap_log_control::no_slot,
                           &ftap_log_control::rescued, &ftap_log_control::unsure})
    __atomic_fetch_add(&(control().*count), load(older.*count), __ATOMIC_RELAXED);
}

std::uint64_t LogStreams::lost_events() const {
  return load(control().lost_events);
}

std::uint64_t LogStreams::no_slot() const {
  return load(control().no_slot);
}

std::uint64_t LogStreams::rescued() const {
  return load(control().rescued);
}

std::uint64_t LogStreams::unsure() const {
  return load(control().unsure);
}

}  // namespace flowtap::kernel
