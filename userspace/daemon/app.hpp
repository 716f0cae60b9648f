// The service: the one place where the concrete types meet.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "component/component.hpp"
#include "component/views/views.hpp"
#include "daemon/config/flags.hpp"
#include "daemon/events.hpp"
#include "daemon/places/kept_places.hpp"
#include "daemon/places/node_lock.hpp"
#include "daemon/privileges.hpp"
#include "stats/snapshot.hpp"

namespace flowtap {

/// How many cycles there were, and how long they took.
class CycleTimes {
 public:
  /// Call it once for each cycle, at its end.
  void add(std::chrono::nanoseconds took) {
    ++cycles_;
    last_seconds_ = std::chrono::duration<double>(took).count();
    ++durations_.counts.at(stats::histogram_bucket(static_cast<std::uint64_t>(took.count())));
    durations_.sum += *last_seconds_;
  }

  void append(std::vector<stats::Series>& out) const {
    out.push_back({&stats::stat(stats::StatId::kCYCLE_DURATION), {}, durations_});
  }
  void report(api::CountStatus& status) const {
    status.cycles = cycles_;
    status.last_cycle_seconds = last_seconds_;
  }

 private:
  std::uint64_t cycles_ = 0;
  std::optional<double> last_seconds_;
  stats::HistogramValue durations_;
};

/// Everything runs on the thread that calls run(), except for the API and one thread per backend.
class App {
 public:
  /// Takes the node's lock and starts what the configuration asks for. The log and the status name the parts that
  /// cannot start; an Error means that nothing useful can run. `reread` reads the command line and its file again.
  [[nodiscard]] static Result<std::unique_ptr<App>> start(Config config,
                                                          std::function<Result<Invocation>()> reread);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Cycles until it is told to stop; then ends everything within 5 s.
  void run();

 private:
  App(Config config, NodeLock lock, Events events, std::function<Result<Invocation>()> reread);

  void add_components();
  /// Makes it of Shared and its own.
  template <typename One, typename... Own>
  One& add(Own&&... own);
  void start_each(void (Component::*step)(), std::string_view done);
  void cycle();
  void reload();
  void stop();
  void look_around();
  /// Its own and those of all components.
  [[nodiscard]] ComponentStates health() const;
  [[nodiscard]] api::StatusReport report();
  [[nodiscard]] std::string sentence() const;

  KeptPlaces places_;
  Events events_;
  std::function<Result<Invocation>()> reread_;
  Config
      config_;  // as it is now: components have references to its parts, and a reload replaces what stands there
  Shared shared_;
  ComponentStates own_health_;  // of what belongs to no component
  GivenUp given_up_;
  std::vector<std::unique_ptr<Component>> components_;  // each one after those that it needs
  CycleTimes times_;
};

}  // namespace flowtap
