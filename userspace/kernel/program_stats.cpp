#include "kernel/program_stats.hpp"

#include <bpf/bpf.h>

#include <cerrno>

#include "base/file.hpp"

namespace flowtap::kernel {
namespace {

bool leads_to(int link_fd, __u32 program_id) {
  bpf_link_info info{};
  __u32 size = sizeof(info);
  return link_fd >= 0 && bpf_obj_get_info_by_fd(link_fd, &info, &size) == 0 && info.prog_id == program_id;
}

}  // namespace

Result<ProgramStats> read_program_stats(const std::string& name, int program_fd, bool run_stats,
                                        int link_fd) {
  bpf_prog_info info{};
  __u32 size = sizeof(info);
  if (bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0)
    return fail_errno(errno, "cannot read the state of BPF program " + name);
  ProgramStats stats{name, leads_to(link_fd, info.id), info.recursion_misses, std::nullopt, std::nullopt};
  if (run_stats) {
    stats.runs = info.run_cnt;
    stats.run_nanoseconds = info.run_time_ns;
  }
  return stats;
}

bool run_stats_enabled() {
  const auto text = read_line("/proc/sys/kernel/bpf_stats_enabled");
  return text && *text == "1";
}

}  // namespace flowtap::kernel
