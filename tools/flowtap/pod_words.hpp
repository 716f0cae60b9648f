// A pod as kubectl's users write it: the namespace as a flag, and the pod's name, perhaps with its type in front.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::cli {

/// Whether this may be a number of lines, or a namespace.
[[nodiscard]] bool is_number(std::string_view word);

/// NAMESPACE/POD of `-n shop web-0` and `-n shop pod/web-0`; `of` itself without a namespace, and an empty one stays empty. An
/// Error says what to type instead: for a Deployment, for a flow's id, and for two namespaces.
[[nodiscard]] Result<std::string> with_namespace(std::string_view ns, std::string_view of);

}  // namespace flowtap::cli
