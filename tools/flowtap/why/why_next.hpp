// What a person can do next about a container or service that ended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "component/views/exit_views.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// Sentences without a full stop; none where it ended well. `has_lines`: some of what it wrote is kept.
[[nodiscard]] std::vector<std::string> next_steps(const api::ContainerExit& exit, bool has_lines);
/// About a process that was killed for want of memory.
[[nodiscard]] std::string memory_step(bool in_pod);
/// A step as a line below an answer; text from outside is escaped.
[[nodiscard]] std::string todo_text(std::string_view todo, const Style& style);
/// About a bound pod none of whose containers has started.
[[nodiscard]] std::string start_step(const PodName& pod);

}  // namespace flowtap::cli
