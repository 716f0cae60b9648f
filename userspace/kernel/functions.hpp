// Which functions the running kernel has for programs to be attached to.
#pragma once

#include <set>
#include <string>

namespace flowtap::kernel {

/// Those of `asked` that the kernel's BTF has; none where it cannot be read. Functions of modules are not among them.
/// All are to be asked for at once: BTF is read anew each time, which takes 10 ms or more.
[[nodiscard]] std::set<std::string> kernel_functions(const std::set<std::string>& asked);

}  // namespace flowtap::kernel
