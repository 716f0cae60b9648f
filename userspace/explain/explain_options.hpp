// What the explain path is told to do.
#pragma once

#include <cstdint>

namespace flowtap {

/// Plain values. What each means, and what it accepts, says the configuration's row explain.NAME. They hold until a restart.
struct ExplainOptions {
  bool enabled = true;
  std::uint64_t max_pods = 1000;
  bool operator==(const ExplainOptions&) const = default;
};

}  // namespace flowtap
