// What a request is about, as the right that the client needs.
#pragma once

#include <string_view>

#include "kube/kube_reviews.hpp"

namespace flowtap::api {

using kube::Right;

/// The right that covers everything that the answer to a request for this target may tell. It is the logs of one
/// namespace where that is certain. It is the node for the host, its processes and containers that are not in a pod. It
/// is nothing where the answer tells nothing about what runs here. In all other cases it is the logs of all namespaces.
[[nodiscard]] Right right_for(std::string_view target);

}  // namespace flowtap::api
