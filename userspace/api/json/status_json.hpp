// The body of /api/v1/status, written and read: both sides of the wire in one place.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "component/views/views.hpp"

namespace flowtap::api {

[[nodiscard]] std::string status_to_json(const StatusReport& report);

/// A member that is missing in `json` keeps its default, so that a client of another version still shows what it knows.
[[nodiscard]] Result<StatusReport> status_from_json(std::string_view json);

}  // namespace flowtap::api
