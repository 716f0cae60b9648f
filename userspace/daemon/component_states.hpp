// Which parts of the service run, and why the others do not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/views/views.hpp"
#include "base/result.hpp"

namespace flowtap {

class ComponentStates {
 public:
  void set(api::ComponentStatus component);
  /// It runs as `detail` says, or does not for the Error's reason.
  void set(const std::string& name, const Status& status, std::string detail);

  /// For a reload, which sets anew all that it decides on: only this one stays.
  void keep_only(const std::string& name);
  void drop(const std::string& name) { states_.erase(name); }

  /// By name.
  [[nodiscard]] std::vector<api::ComponentStatus> all() const;

  /// "; not running: NAME, NAME" for the end of a sentence; empty when all run.
  [[nodiscard]] std::string missing() const;

  /// A message with a hint for each that does not run.
  void log_missing() const;

 private:
  std::map<std::string, api::ComponentStatus> states_;
};

}  // namespace flowtap
