#include "stats/compat/scrape_collectors.hpp"

#include <array>
#include <set>

#include "stats/compat/rows.hpp"

namespace flowtap::stats::compat {
namespace {

struct OfOurs {
  std::string_view theirs;
  std::string_view ours;  ///< flowtap_collector_duration_seconds{collector}
  StatId reads;           ///< present if the collector has read what it should
};
constexpr std::array kOfOurs{
    OfOurs{"cpu", "cpu", StatId::kNODE_CPU},
    OfOurs{"diskstats", "disks", StatId::kNODE_DISK_READS},
    OfOurs{"filesystem", "filesystems", StatId::kNODE_FILESYSTEM_DEVICE_ERROR},
    OfOurs{"loadavg", "load", StatId::kNODE_LOAD1},
    OfOurs{"netdev", "network", StatId::kNODE_NETWORK_RECEIVE_BYTES},
    OfOurs{"pressure", "pressure", StatId::kNODE_PRESSURE_CPU_WAITING},
    OfOurs{"rapl", "energy", StatId::kENERGY_PART},
    OfOurs{"schedstat", "schedstat", StatId::kNODE_SCHEDSTAT_RUNNING},
    OfOurs{"stat", "cpu", StatId::kNODE_CONTEXT_SWITCHES},
};

}  // namespace

void add_scrape_collectors(const Snapshot& snapshot, Page& out) {
  std::set<StatId> read;
  for (const Series& series : snapshot.series) {
    const bool rapl = series.stat->id != StatId::kENERGY_PART || label(series, "source") == "powercap";
    if (rapl) read.insert(series.stat->id);
    if (series.stat->id != StatId::kCOLLECTOR_DURATION) continue;
    for (const OfOurs& collector : kOfOurs)
      if (label(series, "collector") == collector.ours)
        out.add("node_scrape_collector_duration_seconds", PageKind::kGauge, "How long a collector took.",
                {{"collector", std::string(collector.theirs)}}, number(series.value));
  }
  for (const OfOurs& collector : kOfOurs)
    out.add("node_scrape_collector_success", PageKind::kGauge, "Whether a collector has read what it should.",
            {{"collector", std::string(collector.theirs)}}, read.contains(collector.reads) ? 1 : 0);
}

}  // namespace flowtap::stats::compat
