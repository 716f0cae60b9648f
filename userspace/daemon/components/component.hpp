// One part of the service, as App sees all of them.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/views/views.hpp"
#include "daemon/component_states.hpp"
#include "daemon/config/config.hpp"
#include "daemon/node_state.hpp"
#include "daemon/privileges.hpp"
#include "stats/read_errors.hpp"
#include "stats/registry.hpp"

namespace flowtap {

/// What all components see. App owns it, and it outlives them.
struct Shared {
  Config config;  ///< as it is now: a reload replaces the values before it calls reload()
  stats::Registry registry;
  NodeState node;
  ComponentStates states;
  ReadErrors read_errors;
  GivenUp given_up = {};  ///< known from run() on
};

/// Used by the thread that calls App::run(). A component says in Shared::states whether it runs, and why not. App calls each of
/// these for one component after another, in the order in which the components need each other; let_go() and stop() in the
/// reverse order.
class Component {
 public:
  /// Series that were read before the cycle, with the time of that.
  struct Earlier {
    std::optional<std::chrono::steady_clock::time_point> measured;
    std::span<const stats::Series> series;
  };

  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  /// flowtapd still has all its rights: load, mount, attach. No thread may begin here that lives on.
  virtual void open() {}
  /// Only the rights that are kept are left: start threads, listen.
  virtual void run() {}

  /// About once a second, however long a cycle is: reads what changes slowly.
  virtual void look_around() {}
  /// Once a cycle: hands over what was counted since the last time.
  virtual void take() {}
  /// Fills in its part of the status, behind take().
  virtual void report(api::StatusReport& /*status*/) {}
  /// Appends its own series; `status` is what all have reported.
  virtual void append_samples(std::vector<stats::Series>& /*out*/, const api::StatusReport& /*status*/) {}
  /// Empty for all but the one that measures between cycles.
  [[nodiscard]] virtual Earlier earlier() const { return {}; }
  /// The cycle's snapshot is published.
  virtual void offer(const stats::SnapshotPtr& /*snapshot*/) {}

  /// A reload to `next` follows: end what cannot go on under it.
  virtual void let_go(const Config& /*next*/) {}
  /// Shared::config is new; `old` is what it was.
  virtual void reload(const Config& /*old*/) {}

  /// What it does, as a part of the sentence that flowtapd says of itself; empty: nothing that is worth saying there.
  [[nodiscard]] virtual std::string sentence() const { return {}; }
  /// Whether somebody can see through it what flowtapd counts.
  [[nodiscard]] virtual bool shows() const { return false; }

  /// The service ends, and a last cycle follows: end what would hold it up.
  virtual void halt() {}
  /// Ends for good.
  virtual void stop() {}
};

}  // namespace flowtap
