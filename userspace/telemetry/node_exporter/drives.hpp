// The text of /proc/mdstat.
#pragma once

#include <string_view>

#include "stats/compat/page.hpp"

namespace flowtap::telemetry::node_exporter {

/// "md0 : active raid1 sdb1[1] sda1[0](F)", below it "248896 blocks [2/1] [U_]", and while it is repaired
/// "[=>...]  recovery = 8.5% (16775552/195310144) ...". Any bytes. False: a line was not understood.
bool parse_mdstat(std::string_view text, stats::compat::Page& out);

}  // namespace flowtap::telemetry::node_exporter
