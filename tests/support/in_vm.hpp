#pragma once

#include <cstdlib>

namespace flowtap::test {

/// This is a VM of vmtest/run, not the machine at hand.
inline bool in_vm() {
  return std::getenv("FTAP_VM") != nullptr;  // NOLINT(concurrency-mt-unsafe): nobody sets any
}

}  // namespace flowtap::test
