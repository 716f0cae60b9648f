#pragma once

#include <string>

#include "kernel/sched_ext.hpp"

namespace flowtap::test {

/// The state of sched_ext ("enabled", "disabled"...), on a kernel that has it.
[[nodiscard]] inline std::string ext_state() {
  return kernel::read_sched_ext("/sys").value().state;
}

}  // namespace flowtap::test
