// Whether the kernel may take the CPU from a task that runs in it, and so from our programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowtap::kernel {

/// The mode: none, voluntary, full or lazy, as debugfs below `root` has it (sched/preempt, in parentheses). Without debugfs
/// `version`, as uname(2) has it, tells only of kernels that were built without any (no word PREEMPT), which are called
/// voluntary here; else nothing: the command line may name a mode that the kernel has not taken.
[[nodiscard]] std::optional<std::string> preemption_mode(const std::string& root, std::string_view version);
[[nodiscard]] std::optional<std::string> preemption_mode(const std::string& root);

/// Only `full` and `lazy` kernels do; of one that does not say, it is to be feared.
[[nodiscard]] bool may_preempt(const std::optional<std::string>& mode);

/// Whether a task may lose its CPU also in a program at a tracepoint (tp_btf).
[[nodiscard]] bool preempts_tracepoints();

}  // namespace flowtap::kernel
