// The sched_ext scheduler that flowtapd itself runs, as one component.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "scheds/lib/keeper.hpp"
#include "stats/registry.hpp"

namespace flowtap {

class SchedulerPath {
 public:
  /// The component's name.
  static constexpr const char* kName = "scheduler";

  /// Puts the machine's tasks under the scheduler `name`. `sysfs` is the node's; `ext_self_map` is that of the count
  /// path, or -1 where that is off.
  [[nodiscard]] static Result<std::unique_ptr<SchedulerPath>> start(const std::string& name,
                                                                    const std::string& sysfs,
                                                                    int ext_self_map);

  /// Adds what it counted since the last call.
  void take(stats::Registry& registry);

  /// Checks that it still runs; returns what a person should know, or nothing. To be called about once a second.
  [[nodiscard]] std::string look_around();

  /// Ends it: the kernel's own scheduler goes on. Its last counts can still be taken.
  void stop() { keeper_.stop(); }

  [[nodiscard]] const std::string& name() const { return keeper_.name(); }
  [[nodiscard]] bool given_up() const { return keeper_.given_up(); }
  /// An Error while it does not run.
  [[nodiscard]] const Status& health() const { return keeper_.health(); }
  [[nodiscard]] std::string how() const;
  /// How often the kernel ended it, by kind; every kind is in the list.
  [[nodiscard]] const std::map<std::string_view, std::uint64_t>& exits() const { return keeper_.exits(); }

 private:
  explicit SchedulerPath(scheds::Keeper keeper) : keeper_(std::move(keeper)) {}

  scheds::Keeper keeper_;
};

}  // namespace flowtap
