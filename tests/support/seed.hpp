// The seed of a random test.
#pragma once

#include <cstdlib>
#include <random>

namespace flowtap::test {

/// FTAP_SEED of the environment, so that a run which failed can be repeated; otherwise another one each time.
inline unsigned seed() {
  const char* given = std::getenv("FTAP_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
}

}  // namespace flowtap::test
