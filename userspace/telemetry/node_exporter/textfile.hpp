// The text format of Prometheus, as other programs write it for node_exporter's textfile collector.
#pragma once

#include <string_view>

#include "stats/compat/page.hpp"

namespace flowtap::telemetry::node_exporter {

/// Any bytes. False: a line is not well formed, has a time stamp, or says the same series twice; then the whole file is
/// not to be used. The series of a histogram or summary become families of their own ("x_bucket", "x_sum").
/// `file`: is named in the help text of a family that has none.
[[nodiscard]] bool parse_exposition(std::string_view text, std::string_view file, stats::compat::Page& out);

}  // namespace flowtap::telemetry::node_exporter
