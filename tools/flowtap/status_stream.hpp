// The part of flowtap status about the stream path.
#pragma once

#include <string>

#include "component/views/flow_views.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// A few lines, each ending in '\n': how bytes are captured, and what was lost.
[[nodiscard]] std::string stream_text(const api::StreamStatusReport& stream, const Style& style);

}  // namespace flowtap::cli
