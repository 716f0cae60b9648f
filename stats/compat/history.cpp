#include "stats/compat/history.hpp"

#include <algorithm>
#include <utility>

namespace flowtap::stats::compat {

History::History(std::vector<Exporter> exporters, std::string host)
    : exporters_(std::move(exporters)), host_(std::move(host)) {}

std::shared_ptr<const Past> History::next(const Snapshot& snapshot) {
  auto past = std::make_shared<Past>(Past{.host = host_});
  // The others' names need no more than the snapshot.
  if (std::ranges::find(exporters_, Exporter::kKEPLER) == exporters_.end()) return past;
  sums_.take(snapshot, Surroundings(snapshot, host_));
  past->ended = sums_.ended();
  zones_.take(snapshot);
  zones_.append(host_, past->made);
  // Snapshots that are made more often than the machine is read have the same values.
  if (snapshot.measured && watts_.due(*snapshot.measured))
    watts_.take(snapshot, families(snapshot, {Exporter::kKEPLER}, *past), *snapshot.measured);
  watts_.append(host_, past->made);
  return past;
}

}  // namespace flowtap::stats::compat
