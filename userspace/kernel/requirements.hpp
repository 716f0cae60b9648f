// What the kernel and our privileges must allow before BPF is tried at all, so that the refusal is one clear
// sentence.
#pragma once

#include <string>

#include "base/result.hpp"
#include "kernel/libbpf_messages.hpp"

namespace flowtap::kernel {

/// Fails with a sentence and a hint when the kernel's BTF is missing or cannot be read, or this process lacks CAP_BPF or
/// CAP_PERFMON (and CAP_SYS_ADMIN, which stands for both); it names the one that is missing.
[[nodiscard]] Status check_bpf_requirements();

/// As check_bpf_requirements, over given files; for tests.
/// @param btf          normally /sys/kernel/btf/vmlinux
/// @param proc_status  the text of /proc/self/status
[[nodiscard]] Status check_bpf_requirements(const std::string& btf, std::string_view proc_status);

/// Turns a refusal of load or attach into a sentence with a hint. `reason` is what libbpf or the verifier
/// said, `program` the one that the verifier refused, if it was the verifier.
[[nodiscard]] Error bpf_refusal(std::string_view step, int err, std::string_view reason,
                                std::string_view program = {});
[[nodiscard]] Error bpf_refusal(std::string_view step, int err, const Refusal& why);

}  // namespace flowtap::kernel
