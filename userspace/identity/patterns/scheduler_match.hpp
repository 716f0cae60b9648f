// Whose output is a scheduler's log. The flow's id decides: its parts are the identity that a tenant cannot choose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap::flow {

/// Patterns: `pod/NAMESPACE/POD/CONTAINER`, `unit/NAME`, `file/PATH`, `container/NAME`, `container/NAME-ID12`. Each part but
/// a file's may have `*` and `?` (name_pattern.hpp); a pod's namespace must be given whole. A container's name without them
/// means all containers of this name; with them, they stand for parts of NAME-ID12.
class SchedulerMatch {
 public:
  /// An Error names the pattern that is invalid.
  [[nodiscard]] static Result<SchedulerMatch> parse(const std::vector<std::string>& patterns);

  [[nodiscard]] bool matches(std::string_view flow) const;

 private:
  std::vector<std::vector<std::string>> patterns_;  // their parts
};

}  // namespace flowtap::flow
