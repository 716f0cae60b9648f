// Which programs of the log tap's object are loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/log/log_hooks.hpp"
#include "kernel/log/log_programs.hpp"

namespace flowtap::kernel {

/// "exec" for ftap_on_exec; nothing: it is no such program.
[[nodiscard]] std::optional<std::string> hook_of(const bpf_program* program);

/// Chooses the functions that this kernel has, one of the backends, and for `hooks`, which are attached already, only
/// the handlers. True: second programs are among them, because `seconds` are wanted or attached.
[[nodiscard]] bool choose_programs(bpf_object* object, LogBackend backend, bool seconds,
                                   const std::vector<LogHook>& hooks);

}  // namespace flowtap::kernel
