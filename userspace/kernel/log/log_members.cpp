// To whom the streams of listed units and processes belong. See bpf/lib/log/members.bpf.h.
#include <bpf/bpf.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "kernel/log/log_streams.hpp"

namespace flowtap::kernel {
namespace {

LogMember log_member(const ftap_member& member) {
  return {{member.run.pid, member.run.start_time}, member.start_time};
}

bool is_of(int members, std::uint32_t pid, const LogRun& run) {
  ftap_member member{};
  return bpf_map_lookup_elem(members, &pid, &member) == 0 && log_member(member).run == run;
}

}  // namespace

bool has_ended(std::uint32_t pid) {
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
  if (!process.valid()) return errno == ESRCH;
  pollfd end{process.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) == 1;
}

bool LogStreams::has_owner(const LogTarget& target) const {
  if (target.kind == FTAP_KIND_PIPE || target.rule == FTAP_RULE_CONTAINER) return true;
  if (target.rule == FTAP_RULE_UNIT) {
    __u8 mark = 0;
    return bpf_map_lookup_elem(marks_.get(), &target.cgroup, &mark) == 0;
  }
  const LogRun run{target.pid, target.start_time};
  if (is_of(members_.get(), target.pid, run)) return true;
  return std::ranges::any_of(members(), [&run](const auto& member) { return member.second.run == run; });
}

std::map<std::uint32_t, LogMember> read_members(int map) {
  std::map<std::uint32_t, LogMember> all;
  bpf_map_info info{};
  __u32 size = sizeof(info);
  if (bpf_map_get_info_by_fd(map, &info, &size) != 0 || info.value_size < sizeof(ftap_member)) return all;
  std::vector<std::byte> value(info.value_size);
  std::uint32_t at = 0;
  std::uint32_t next = 0;
  const std::uint32_t* before = nullptr;
  // If the entry at `at` goes meanwhile the walk begins anew, which could go on for ever.
  for (unsigned i = 0; i < 2 * info.max_entries && bpf_map_get_next_key(map, before, &next) == 0; ++i) {
    ftap_member member{};
    if (bpf_map_lookup_elem(map, &next, value.data()) == 0) {
      std::memcpy(&member, value.data(), sizeof(member));
      all.emplace(next, log_member(member));
    }
    at = next;
    before = &at;
  }
  return all;
}

bool LogStreams::join(std::uint32_t pid, const LogRun& run) {
  const bool own = pid == run.pid;
  if (own && is_of(members_.get(), pid, run)) return false;
  const ftap_member member{.run = {.start_time = run.start_time, .pid = run.pid, .zero = 0},
                           .start_time = own ? run.start_time : 0};
  // Until now it may have belonged to its parents' run.
  if (bpf_map_update_elem(members_.get(), &pid, &member, own ? BPF_ANY : BPF_NOEXIST) != 0) return false;
  if (!has_ended(pid)) return true;
  (void)bpf_map_delete_elem(members_.get(), &pid);
  return false;
}

void LogStreams::leave(std::uint32_t pid, const LogMember& member) {
  ftap_member was{};
  if (bpf_map_lookup_and_delete_elem(members_.get(), &pid, &was) != 0) return;
  // Another process has got the pid since.
  if (log_member(was) != member) (void)bpf_map_update_elem(members_.get(), &pid, &was, BPF_NOEXIST);
}

}  // namespace flowtap::kernel
