// What a request is about, as a right that whoever asks has to have.
#pragma once

#include <string_view>

#include "kube/kube_reviews.hpp"

namespace flowtap::api {

using kube::Right;

/// The right to what the answer to a request for this target can be about: logs of one namespace, where that is certain; of the
/// host, its processes and containers that are no pods'; nothing, where the answer tells nothing of what runs here. Else logs of all
/// namespaces.
[[nodiscard]] Right right_for(std::string_view target);

}  // namespace flowtap::api
