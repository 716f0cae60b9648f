// The API as an OpenAPI document, made from the table of its routes.
#pragma once

#include <string_view>

#include "api/routes/flow_routes.hpp"

namespace flowtap::api {

inline constexpr std::string_view kOpenApiPath = "/openapi.json";

/// OpenAPI 3.1.
[[nodiscard]] Answer openapi(const Call& call);

}  // namespace flowtap::api
