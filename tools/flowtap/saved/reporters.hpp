// Who else than a scheduler says in an event that a pod could not be scheduled: they make nodes, and place no pod.
#pragma once

#include <string_view>

namespace flowtap::cli {

/// What people call the one who has said it; empty: a scheduler has, as far as anybody knows. `from` is the component that the
/// event names; where it names none, the message's words tell.
[[nodiscard]] std::string_view reporter_beside(std::string_view from, std::string_view message);

}  // namespace flowtap::cli
