// When the source of a flow began to write, as far as the flow tells.
#pragma once

#include <cstdint>
#include <optional>

#include "stream/store/flow_store.hpp"

namespace flowtap {

/// The time of the first line that the flow's source wrote, ns since 1970. Absent: the flow does not begin with it.
/// Each output has to begin with a line, because a gap at its beginning may stand for bytes from before all lines that
/// are there.
[[nodiscard]] std::optional<std::uint64_t> first_line_time(const flow::FlowStore& store,
                                                           const flow::FlowSummary& summary);

}  // namespace flowtap
