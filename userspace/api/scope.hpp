// Whose logs a request is about: what somebody who may not read all of them has to be asked for.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::api {

/// The one namespace that the answer to a request for this target can be about. Empty: it may be about all of them, as wherever
/// that is not certain.
[[nodiscard]] std::string namespace_asked_for(std::string_view target);

}  // namespace flowtap::api
