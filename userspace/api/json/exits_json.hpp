// The body of /api/v1/exits and /api/v1/namespaces/{namespace}/pods/{name}/exits, written and read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "component/views/exit_views.hpp"

namespace flowtap::api {

/// {"exits": [{"container", "time", "code" or "signal", "oom", "flow", ...}],
///  "oom_kills": [{"container", "time", "count", "process", "flow", ...}]}
/// A program that was never started has "started": false and neither code nor signal. A service has "unit" in the place
/// of "container". "namespace", "pod", "id" and "process" are left out where they are empty, and so is "oom_kills".
[[nodiscard]] std::string exits_to_json(const Exits& exits);
/// Those without time, or without container and unit, are left out.
[[nodiscard]] Result<Exits> exits_from_json(std::string_view json);

}  // namespace flowtap::api
