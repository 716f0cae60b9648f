// What a person can do where the kernel refuses because something is used up, whatever was tried.
#pragma once

#include <string>

namespace flowtap {

/// The hint for an errno that says so of descriptors, memory, processes; empty for any other. fail_errno() gives it, too.
[[nodiscard]] std::string exhaustion_hint(int err);

}  // namespace flowtap
