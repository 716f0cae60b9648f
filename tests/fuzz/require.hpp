// What a fuzzer demands of the code under test.
#pragma once

#include <cstdlib>

namespace flowtap::fuzz {

/// Ends the process, and so the run with this input, if it is false.
inline void require(bool is_true) {
  if (!is_true) std::abort();
}

}  // namespace flowtap::fuzz
