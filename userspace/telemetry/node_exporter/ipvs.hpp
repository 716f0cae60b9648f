// The texts of IPVS. They take any bytes; false: a line was not understood.
#pragma once

#include <string_view>

#include "stats/compat/page.hpp"

namespace flowtap::telemetry::node_exporter {

/// /proc/net/ip_vs_stats: headings, and five hexadecimal numbers.
bool parse_ipvs_stats(std::string_view text, stats::compat::Page& out);

/// /proc/net/ip_vs: a line for each service, and below it one for each backend. Backends with the same labels are added up.
bool parse_ipvs_backends(std::string_view text, stats::compat::Page& out);

}  // namespace flowtap::telemetry::node_exporter
