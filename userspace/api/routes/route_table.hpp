// All routes, said once: for who answers a request, and for who describes them.
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
  std::vector<unsigned> refusals = {};  ///< besides those that all have
  std::vector<QueryParameter> parameters = {};
  std::vector<std::string_view> types = {kJson};  ///< of what it answers with 200
};

[[nodiscard]] const std::vector<Route>& routes();

/// What stands in a path in the place of {name}.
[[nodiscard]] std::string_view segment_meaning(std::string_view name);

/// The names of all of them, and of those that may stand without a value.
[[nodiscard]] std::vector<std::string_view> names_of(const std::vector<QueryParameter>& parameters);
[[nodiscard]] std::vector<std::string_view> flags_of(const std::vector<QueryParameter>& parameters);

}  // namespace flowtap::api
