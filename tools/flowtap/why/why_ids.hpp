// Ids of `flowtap flows` in the place of a pod's or a container's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/flowtap/client.hpp"

namespace flowtap::cli {

/// NAMESPACE/POD for the id of a flow that is a pod's, or a scheduler's lines about one; anything else as it is.
[[nodiscard]] std::string pod_of_id(std::string_view of);

/// Whether it has the form of the id of a listed process or file.
[[nodiscard]] bool is_id_of_listed(std::string_view of);

/// What there is to say of the flow of a listed process or file, which has a log and no exit. Nothing: `of` is none that flowtapd
/// knows, or it cannot be asked.
[[nodiscard]] std::optional<Failure> why_no_exit(const std::string& state_dir, const std::string& of);

}  // namespace flowtap::cli
