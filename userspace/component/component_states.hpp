// Which parts of the service run, and why the others do not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/views.hpp"

namespace flowtap {

class ComponentStates {
 public:
  void set(api::ComponentStatus component);
  /// Sets a component's state: it runs in the way that `detail` tells, or does not run for the Error's reason.
  void set(const std::string& name, const Status& status, std::string detail);

  /// Adds those of others, which have other names.
  void add(const ComponentStates& others) {
    for (const auto& [name, state] : others.states_) states_.insert_or_assign(name, state);
  }
  void drop(const std::string& name) { states_.erase(name); }

  /// By name.
  [[nodiscard]] std::vector<api::ComponentStatus> all() const;

  /// "; not running: NAME, NAME" for the end of a sentence; empty if all run.
  [[nodiscard]] std::string missing() const;

  /// Logs a message with a hint for each component that does not run.
  void log_missing() const;

 private:
  std::map<std::string, api::ComponentStatus> states_;
};

}  // namespace flowtap
