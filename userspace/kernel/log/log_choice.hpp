// Which programs of the log tap's object are loaded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/log/log_hooks.hpp"
#include "kernel/log/log_programs.hpp"

namespace flowtap::kernel {

/// "exec" of ftap_on_exec; nothing: it is no such program.
[[nodiscard]] std::optional<std::string> hook_of(const bpf_program* program);

/// Of the functions those that this kernel has, of the backends one, and of `hooks`, which are attached already, the handlers
/// alone. True: second programs are among them, because `seconds` are wanted or attached.
[[nodiscard]] bool choose_programs(bpf_object* object, LogBackend backend, bool seconds,
                                   const std::vector<LogHook>& hooks);

}  // namespace flowtap::kernel
