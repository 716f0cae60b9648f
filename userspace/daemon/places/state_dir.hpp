// The directory of the API's socket and of all state of the service.
#pragma once

#include <string>

#include "base/result.hpp"

namespace flowtap {

/// Makes the directory, readable by all: the socket inside has its own permissions. Its parent must exist. False: it was
/// there.
[[nodiscard]] Result<bool> make_state_dir(const std::string& path);

}  // namespace flowtap
