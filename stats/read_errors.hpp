// The components count here how often values could not be read, for flowtap_read_errors_total.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace flowtap {

/// By kind of value, which is the label `what` of flowtap_read_errors_total.
using ReadErrors = std::map<std::string, std::uint64_t>;

/// The kind that more than one component reads: what the kernel says of a BPF program.
inline constexpr const char* kProgramErrors = "bpf_program";

}  // namespace flowtap
