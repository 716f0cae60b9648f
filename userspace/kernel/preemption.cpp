#include "kernel/preemption.hpp"

#include <bpf/btf.h>
#include <sys/utsname.h>

#include <memory>

#include "base/file.hpp"

namespace flowtap::kernel {
namespace {

std::optional<std::string> in_parentheses(std::string_view text) {
  const auto begin = text.find('(');
  const auto end = text.find(')', begin == std::string_view::npos ? 0 : begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::optional<std::string> preemption_mode(const std::string& root, std::string_view version) {
  if (const auto line = read_line(root + "/sys/kernel/debug/sched/preempt"))
    if (auto mode = in_parentheses(*line)) return mode;
  if (version.find("PREEMPT") == std::string_view::npos) return "voluntary";
  return std::nullopt;
}

std::optional<std::string> preemption_mode(const std::string& root) {
  utsname name{};
  return preemption_mode(root, ::uname(&name) == 0 ? static_cast<const char*>(name.version) : "PREEMPT");
}

bool may_preempt(const std::optional<std::string>& mode) {
  return mode != "none" && mode != "voluntary";
}

// Kernels before 7 run these programs with preemption switched off. Later ones let them be preempted, and protect
// tracepoints in use with a kind of read section that nothing else uses; its types and per-CPU variables are in the
// kernel's BTF. If that cannot be read, the kernel is taken for one before 7.
bool preempts_tracepoints() {
  const std::unique_ptr<btf, void (*)(btf*)> kernel(btf__load_vmlinux_btf(), btf__free);
  return kernel && btf__find_by_name_kind(kernel.get(), "class_srcu_fast_notrace_t", BTF_KIND_TYPEDEF) > 0 &&
         btf__find_by_name_kind(kernel.get(), "tracepoint_srcu_srcu_data", BTF_KIND_VAR) > 0;
}

}  // namespace flowtap::kernel
