// The log tap's hooks in the kernel, which outlive builds: see bpf/lib/log/hook.bpf.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "kernel/log/log_pins.hpp"

namespace flowtap::kernel {

/// Every system call's end (bpf/logtap.bpf.c): a build that has this hook uses the sys_exit backend.
inline constexpr const char* kCallsHook = "calls";

/// The prefix of the names of attached programs (bpf/lib/log/hook.bpf.h).
inline constexpr std::string_view kAttached = "ftap_on_";

/// The program that is attached for a hook.
[[nodiscard]] inline std::string program_of(std::string_view hook) {
  return std::string(kAttached).append(hook);
}

/// Every event in which a container begins comes there (bpf/lib/log/enter.bpf.h).
inline constexpr std::string_view kExecHook = "exec";

/// The hook of the second program, which stands behind this hook's and handles what was kept from it
/// (bpf/lib/log/second.bpf.h).
[[nodiscard]] std::string second_of(std::string_view hook);
[[nodiscard]] bool is_second(std::string_view hook);
/// The other way round.
[[nodiscard]] std::string_view first_of(std::string_view second);

/// One place in the kernel. Its program is attached there as long as its link is held here or pinned.
struct LogHook {
  std::string name;  ///< "exec"
  Fd link;
  Fd program;  ///< invalid: an earlier process made it, and this one may not open it
  Fd at;       ///< the array that says who handles its events

  /// The attached program's.
  [[nodiscard]] std::string program_name() const { return program_of(name); }
  [[nodiscard]] std::string link_pin() const { return "link_" + name; }
  [[nodiscard]] std::string at_pin() const { return "at_" + name; }
};

/// The hooks that were pinned. A hook without a link is attached to nothing and left out; one without an array is an
/// Error, since its parts are pinned and removed in an order in which a process that dies in between leaves no such
/// hook.
[[nodiscard]] Result<std::vector<LogHook>> open_hooks(std::vector<Pin> pins);

/// In the form that LogPins takes.
[[nodiscard]] std::vector<std::pair<std::string, int>> pins_of(const std::vector<LogHook>& hooks);

/// Pins one more hook, or detaches it if nobody else holds it.
[[nodiscard]] Status add_hook(const LogPins& pins, const LogHook& hook);
[[nodiscard]] Status remove_hook(const LogPins& pins, const LogHook& hook);

/// Puts a program into the one place of an array of programs.
[[nodiscard]] Status put_program(int array, int program);

/// Empties it.
void clear_program(int array);

/// From this moment on, `handler` handles the hook's events. Events under way end with the handler before.
[[nodiscard]] Status lead_to(const LogHook& hook, int handler);

/// Whether `handler` handles the hook's events.
[[nodiscard]] Result<bool> leads_to(const LogHook& hook, int handler);

/// Returns when no program is still running that ran, or saw the maps' old content, before the call.
void wait_for_programs();

}  // namespace flowtap::kernel
