// Whether the kernel may take the CPU from a task that runs in the kernel, and so from our programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowtap::kernel {

/// The mode: none, voluntary, full or lazy, as debugfs below `root` shows it (sched/preempt, in parentheses). Without
/// debugfs `version`, as uname(2) gives it, tells only about kernels that were built without any preemption (no word
/// PREEMPT), which are called voluntary here. For others the answer is nothing: the command line may name a mode that
/// the kernel has not taken.
[[nodiscard]] std::optional<std::string> preemption_mode(const std::string& root, std::string_view version);
[[nodiscard]] std::optional<std::string> preemption_mode(const std::string& root);

/// Only `full` and `lazy` kernels do; a kernel that does not say may.
[[nodiscard]] bool may_preempt(const std::optional<std::string>& mode);

/// Whether a task may also lose its CPU in a program at a tracepoint (tp_btf).
[[nodiscard]] bool preempts_tracepoints();

}  // namespace flowtap::kernel
