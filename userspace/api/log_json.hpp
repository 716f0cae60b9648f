// A log's line as JSON, for those who want it so.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::api {

/// {"time":"...","text":"..."} of a line with its time in front of it.
[[nodiscard]] std::string log_line_to_json(std::string_view line);

}  // namespace flowtap::api
