#include "telemetry/node/load.hpp"

#include "base/file.hpp"
#include "telemetry/collecting/fields.hpp"

namespace flowtap::telemetry {

using stats::StatId;

// proc_loadavg(5): "0.20 0.18 0.12 1/80 11206".
void LoadCollector::collect(Collected& out) {
  const auto text = read_file(proc_ + "/loadavg");
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  for (const StatId id : {StatId::kNODE_LOAD1, StatId::kNODE_LOAD5, StatId::kNODE_LOAD15}) {
    if (const auto load = decimal(next_word(rest)))
      out.series.push_back({&stats::stat(id), {}, *load});
    else
      ++out.unread;
  }
}

}  // namespace flowtap::telemetry
