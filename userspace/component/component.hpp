// The interface through which App sees each part of the service.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "component/component_states.hpp"
#include "component/node_state.hpp"
#include "component/views/views.hpp"
#include "stats/read_errors.hpp"
#include "stats/registry.hpp"

namespace flowtap {

/// What all components share. App owns it, and it outlives them.
struct Shared {
  std::string host_root;  ///< where the node's file system is
  std::string state_dir;
  stats::Registry registry;
  NodeState node = {};
  ReadErrors read_errors = {};
};

/// Used by the thread that calls App::run(). It sees its own options through a reference; a component that has to know what is new
/// keeps a copy of the options that it runs under. App calls each of these functions for one component after another, in the order
/// in which the components need each other, and let_go() and stop() in the reverse order.
class Component {
 public:
  /// Series that were read before the cycle, and when.
  struct Earlier {
    std::optional<std::chrono::steady_clock::time_point> measured;
    std::span<const stats::Series> series;
    std::span<const stats::Series> for_compat;  ///< see stats::Snapshot
  };

  Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Which of its parts run, and why the others do not. Empty: it was asked for nothing.
  [[nodiscard]] const ComponentStates& health() const { return health_; }

  /// flowtapd still has all its rights here: load, mount, attach. No thread that lives on may begin here.
  virtual void open() {}
  /// From here on flowtapd has only the rights that it keeps: start threads, listen.
  virtual void run() {}

  /// Called about once a second, however long a cycle is, to read what changes slowly.
  virtual void look_around() {}
  /// Called once a cycle, to hand over what was counted since the last time.
  virtual void take() {}
  /// Fills in its part of the status; called after take().
  virtual void report(api::StatusReport& /*status*/) {}
  /// Appends its own series; `status` is what all components have reported.
  virtual void append_samples(std::vector<stats::Series>& /*out*/, const api::StatusReport& /*status*/) {}
  /// Empty for all components except the one that measures between cycles.
  [[nodiscard]] virtual Earlier earlier() const { return {}; }
  /// Called when the cycle's snapshot is published.
  virtual void offer(const stats::SnapshotPtr& /*snapshot*/) {}

  /// The options are new: ends what cannot go on under them. All components have let go before the first reload().
  virtual void let_go() {}
  /// Brings what runs into line with the new options. Its health is forgotten before, and it says again what runs.
  void reload() {
    health_ = {};
    take_options();
  }

  /// What it does, as a part of the sentence with which flowtapd describes itself; empty: there is nothing worth
  /// saying.
  [[nodiscard]] virtual std::string sentence() const { return {}; }
  /// Whether people can see through it what flowtapd counts.
  [[nodiscard]] virtual bool shows() const { return false; }

  /// Called when the service ends, before the last cycle: ends what would hold that up.
  virtual void halt() {}
  /// Ends for good.
  virtual void stop() {}

 protected:
  /// See reload().
  virtual void take_options() {}

  ComponentStates health_;
};

}  // namespace flowtap
