#include "kernel/log/log_hooks.hpp"

#include <bpf/bpf.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

namespace flowtap::kernel {
namespace {

constexpr std::string_view kLink = "link_";
constexpr std::string_view kAt = "at_";
constexpr std::string_view kSecondSuffix = "_2nd";

Result<Fd> program_of(int link, const std::string& name) {
  bpf_link_info info{};
  __u32 size = sizeof(info);
  if (bpf_link_get_info_by_fd(link, &info, &size) != 0)
    return fail_errno(errno, "cannot ask for the link of " + name);
  Fd program(bpf_prog_get_fd_by_id(info.prog_id));
  // Opening by id needs CAP_SYS_ADMIN; the rest of a take-over does not. Without it only the statistics are missing.
  if (!program.valid() && errno != EPERM) return fail_errno(errno, "cannot open the program " + name);
  return program;
}

Result<std::uint32_t> id_of(int program) {
  bpf_prog_info info{};
  __u32 size = sizeof(info);
  if (bpf_prog_get_info_by_fd(program, &info, &size) != 0)
    return fail_errno(errno, "cannot ask for a program's id");
  return info.id;
}

}  // namespace

std::string second_of(std::string_view hook) {
  return std::string(hook).append(kSecondSuffix);
}

bool is_second(std::string_view hook) {
  return hook.ends_with(kSecondSuffix);
}

std::string_view first_of(std::string_view second) {
  return second.substr(0, second.size() - kSecondSuffix.size());
}

std::vector<std::pair<std::string, int>> pins_of(const std::vector<LogHook>& hooks) {
  std::vector<std::pair<std::string, int>> all;
  for (const LogHook& hook : hooks) {
    all.emplace_back(hook.link_pin(), hook.link.get());
    all.emplace_back(hook.at_pin(), hook.at.get());
  }
  return all;
}

Result<std::vector<LogHook>> open_hooks(std::vector<Pin> pins) {
  std::map<std::string, LogHook> found;
  for (Pin& pin : pins) {
    const std::string_view name = pin.name;
    if (name.starts_with(kLink))
      found[std::string(name.substr(kLink.size()))].link = std::move(pin.object);
    else if (name.starts_with(kAt))
      found[std::string(name.substr(kAt.size()))].at = std::move(pin.object);
  }
  std::vector<LogHook> hooks;
  for (auto& [name, hook] : found) {
    hook.name = name;
    if (!hook.link.valid()) continue;
    if (!hook.at.valid())
      return fail("the pinned hook " + name + " of the log tap lacks its array", kDetachHint);
    FTAP_TRY_ASSIGN(program, program_of(hook.link.get(), hook.program_name()));
    hook.program = std::move(program);
    hooks.push_back(std::move(hook));
  }
  return hooks;
}

Status add_hook(const LogPins& pins, const LogHook& hook) {
  // A process that died between the two steps has left this.
  FTAP_TRY(pins.remove(LogPins::kHooks, hook.at_pin()));
  FTAP_TRY(pins.add(LogPins::kHooks, hook.at_pin(), hook.at.get()));
  return pins.add(LogPins::kHooks, hook.link_pin(), hook.link.get());
}

Status remove_hook(const LogPins& pins, const LogHook& hook) {
  FTAP_TRY(pins.remove(LogPins::kHooks, hook.link_pin()));
  return pins.remove(LogPins::kHooks, hook.at_pin());
}

void clear_program(int array) {
  const std::uint32_t place = 0;
  static_cast<void>(bpf_map_delete_elem(array, &place));  // not there: that is as it should be
}

Status put_program(int array, int program) {
  const std::uint32_t place = 0;
  if (bpf_map_update_elem(array, &place, &program, BPF_ANY) != 0)
    return fail_errno(errno, "cannot make the hook call another program");
  return {};
}

Status lead_to(const LogHook& hook, int handler) {
  if (auto led = put_program(hook.at.get(), handler); !led)
    return std::unexpected(std::move(led).error().in("the hook " + hook.name));
  return {};
}

Result<bool> leads_to(const LogHook& hook, int handler) {
  const std::uint32_t place = 0;
  std::uint32_t id = 0;
  if (bpf_map_lookup_elem(hook.at.get(), &place, &id) != 0)
    return errno == ENOENT ? Result<bool>(false)
                           : fail_errno(errno, "cannot ask where the hook " + hook.name + " leads to");
  FTAP_TRY_ASSIGN(ours, id_of(handler));
  return id == ours;
}

void wait_for_programs() {
  // Waits for a grace period of RCU, in whose read sections programs run (membarrier(2), MEMBARRIER_CMD_GLOBAL). With
  // only one CPU online the kernel does not wait for one.
  if (::sysconf(_SC_NPROCESSORS_ONLN) > 1 && ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
    return;
  // Kernels with nohz_full CPUs refuse that. A program ends within microseconds, unless it is preempted.
  constexpr std::chrono::milliseconds kLong{200};
  std::this_thread::sleep_for(kLong);
}

}  // namespace flowtap::kernel
