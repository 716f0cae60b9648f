// How node_exporter's collectors did whose values are in our table.
#pragma once

#include "stats/compat/page.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::stats::compat {

/// Adds node_scrape_collector_duration_seconds and _success of those collectors: the time of our collector that reads the
/// same files, and whether it has read them.
void add_scrape_collectors(const Snapshot& snapshot, Page& out);

}  // namespace flowtap::stats::compat
