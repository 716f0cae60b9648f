// The options of the explain path.
#pragma once

#include <cstdint>

namespace flowtap {

/// Plain values. The configuration's row explain.NAME says what each means and what it accepts. They hold until a restart.
struct ExplainOptions {
  bool enabled = true;
  std::uint64_t max_pods = 1000;
  bool operator==(const ExplainOptions&) const = default;
};

}  // namespace flowtap
