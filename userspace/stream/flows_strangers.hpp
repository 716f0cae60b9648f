// Files of others in DIR/flows, which take the room that flowtapd has made for itself.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace flowtap {

struct Strangers {
  std::uint64_t bytes = 0;
  std::string largest;  ///< its name in the directory; empty: there are none
};

/// What is in `dir` beside logs, and beside what begins with a dot: the journal, the index.
[[nodiscard]] Strangers strangers_in(const std::string& dir);

/// An Error: the directory at `place` is nearly full, and others have a good part of that. `path` is what people call it. The sentence
/// stays the same while these grow.
[[nodiscard]] Status check_strangers(const std::string& place, const std::string& path);

}  // namespace flowtap
