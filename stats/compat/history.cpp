#include "stats/compat/history.hpp"

#include <algorithm>
#include <utility>

namespace flowtap::stats::compat {

History::History(std::vector<Exporter> exporters, std::string host)
    : exporters_(std::move(exporters)), host_(std::move(host)) {}

// Containers that have ended are remembered as long as they have a series for which Kepler has a name.
void History::take_instances(const Snapshot& snapshot) {
  Instances now = read_instances(snapshot);
  bool read = false;
  for (const Series& series : snapshot.series) {
    if (series.stat->id != StatId::kWORKLOAD_ENERGY && series.stat->id != StatId::kWORKLOAD_CPU &&
        series.stat->id != StatId::kWORKLOAD_DEVICE_ENERGY)
      continue;
    read = true;
    const auto known = instances_->find(workload_of(series));
    if (known != instances_->end()) now.insert(*known);
  }
  // If no series is there, none was read.
  if (!read) now.insert(instances_->begin(), instances_->end());
  if (now != *instances_) instances_ = std::make_shared<const Instances>(std::move(now));
}

std::shared_ptr<const Past> History::next(const Snapshot& snapshot) {
  auto past = std::make_shared<Past>(Past{.host = host_});
  // The names of the other exporters need only the snapshot.
  if (std::ranges::find(exporters_, Exporter::kKEPLER) == exporters_.end()) return past;
  take_instances(snapshot);
  past->instances = instances_;
  sums_.take(snapshot, Surroundings(snapshot, host_, instances_));
  past->ended = sums_.ended();
  zones_.take(snapshot);
  zones_.append(host_, past->made);
  // If snapshots are made more often than the machine is read, they have the same values.
  if (snapshot.measured && watts_.due(*snapshot.measured))
    watts_.take(snapshot, families(snapshot, {Exporter::kKEPLER}, *past), *snapshot.measured);
  watts_.append(host_, past->made);
  return past;
}

}  // namespace flowtap::stats::compat
