// Keeps the totals since the start, and makes each cycle's snapshot from them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/slot_source.hpp"
#include "stats/snapshot.hpp"

namespace flowtap::stats {

/// Used only by the cycle's thread. The snapshots that it publishes are immutable and may be read from anywhere.
class Registry {
 public:
  /// At most `max_series_per_family` series of each family are published; the rest is counted in
  /// flowtap_dropped_series_total. `start` is when counting begins, at 0.
  explicit Registry(std::size_t max_series_per_family, std::chrono::system_clock::time_point start);

  /// Adds one cycle's counts. Those of the ext class belong to `ext_scheduler`. If it is empty, no scheduler is known
  /// now, and the counts belong to the last known one, which has just been unloaded.
  void add(const SlotCounts& counts, std::string_view ext_scheduler);

  /// Adds the counts that our own sched_ext scheduler of this name has made itself, in the slots of the ext class. From
  /// now on its dispatches have the types of scheds.def. What tracing counted for this scheduler before is added to the
  /// types of the same name; a type that is not in scheds.def stays beside them.
  void add_own(const SlotCounts& counts, std::string_view scheduler);

  /// Publishes the totals together with `samples`, the series read in userspace for this cycle, in any order. The
  /// totals are absent until something has been counted: a 0 would look measured. Then they stay, even while counting
  /// is switched off, so that no backend takes their return for something new. `measured`: see Snapshot. `more`:
  /// samples that the caller keeps for later cycles as well. `for_compat`: see Snapshot.
  SnapshotPtr publish(std::vector<Series> samples,
                      std::optional<std::chrono::steady_clock::time_point> measured = std::nullopt,
                      std::span<const Series> more = {}, std::span<const Series> for_compat = {});

 private:
  using SlotTotals = std::array<std::uint64_t, FTAP_NR_SLOTS>;

  struct Scheduler {
    SlotTotals totals{};
    bool traced = false;         // the tracing programs see its dispatches, or did so before
    bool counts_itself = false;  // it has given its own counts
  };

  [[nodiscard]] static bool shows(const Scheduler& scheduler, const Stat& stat);
  static void append_scheduler(std::vector<Series>& out, const Family& family, const std::string& name,
                               const Scheduler& scheduler);
  void append_slots(std::vector<Series>& out, const Family& family) const;

  std::size_t max_series_;
  std::chrono::system_clock::time_point start_;
  std::uint64_t cycle_ = 0;
  std::string ext_scheduler_;
  std::map<std::string, Scheduler, std::less<>> schedulers_;  // "kernel" is always there
  std::map<FamilyId, std::uint64_t> dropped_;
};

}  // namespace flowtap::stats
