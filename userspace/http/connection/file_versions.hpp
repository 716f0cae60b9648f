// Tells when files have changed.
#pragma once

#include <string>
#include <vector>

namespace flowtap::http {

/// Identifies what stands in these files; any change gives another value. Empty: one of them is not there.
[[nodiscard]] std::string versions_of(const std::vector<std::string>& paths);

}  // namespace flowtap::http
