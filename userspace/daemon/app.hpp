// The service: the one place where the concrete types meet.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "component/component.hpp"
#include "component/views/views.hpp"
#include "daemon/components.hpp"
#include "daemon/config/flags.hpp"
#include "daemon/cycle_times.hpp"
#include "daemon/events.hpp"
#include "daemon/places/kept_places.hpp"
#include "daemon/places/node_lock.hpp"
#include "daemon/privileges.hpp"

namespace flowtap {

/// Everything runs on the thread that calls run(), except for the API and one thread per backend.
class App {
 public:
  /// Takes the node's lock and starts what the configuration asks for. The log and the status name the parts that
  /// cannot start; an Error means that nothing useful can run. `reread` reads the command line and its file again.
  [[nodiscard]] static Result<std::unique_ptr<App>> start(Config config,
                                                          std::function<Result<Invocation>()> reread);
  ~App() = default;
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Cycles until it is told to stop; then ends everything within 5 s.
  void run();

 private:
  App(Config config, NodeLock lock, Events events, std::function<Result<Invocation>()> reread);

  void add_components();
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
  Components components_;
  CycleTimes times_;
};

}  // namespace flowtap
