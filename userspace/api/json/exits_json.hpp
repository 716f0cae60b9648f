// The body of /api/v1/namespaces/{namespace}/pods/{name}/exits, written and read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "component/views/exit_views.hpp"

namespace flowtap::api {

/// {"exits": [{"container", "time", "code" or "signal", "oom", "flow"}]}
[[nodiscard]] std::string exits_to_json(const std::vector<ContainerExit>& exits);
/// Those without container or time are left out.
[[nodiscard]] Result<std::vector<ContainerExit>> exits_from_json(std::string_view json);

}  // namespace flowtap::api
