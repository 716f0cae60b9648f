// The stream path's part of /api/v1/status, written and read.
#pragma once

#include <boost/json/object.hpp>

#include "component/views/flow_views.hpp"

namespace flowtap::api {

[[nodiscard]] boost::json::object stream_status_to_json(const StreamStatusReport& stream);

/// A member that is missing keeps its default.
[[nodiscard]] StreamStatusReport stream_status_from_json(const boost::json::object& object);

}  // namespace flowtap::api
