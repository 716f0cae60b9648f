// The one list of routes: requests are answered by it, and the OpenAPI document is made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/routes/flow_routes.hpp"
#include "api/routes/query_parameter.hpp"

namespace flowtap::api {

struct Route {
  std::string path;  ///< each {name} in it stands for one segment
  Answer (*answer)(const Call&);
  std::string_view what;                ///< one sentence
  std::vector<unsigned> refusals = {};  ///< statuses besides those that all routes have
  std::vector<QueryParameter> parameters = {};
  std::vector<std::string_view> types = {kJson};  ///< of the body of a 200
};

[[nodiscard]] const std::vector<Route>& routes();

/// What a {name} in a path stands for.
[[nodiscard]] std::string_view segment_meaning(std::string_view name);

/// The names of all parameters, and of those that may stand without a value.
[[nodiscard]] std::vector<std::string_view> names_of(const std::vector<QueryParameter>& parameters);
[[nodiscard]] std::vector<std::string_view> flags_of(const std::vector<QueryParameter>& parameters);

}  // namespace flowtap::api
