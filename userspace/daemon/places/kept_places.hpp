// What others must find under its name for as long as flowtapd runs, and what somebody may remove: `rm -rf /run/...`, a cleaner
// of temporary files.
#pragma once

#include <map>
#include <string>

#include "component/component_states.hpp"
#include "daemon/places/node_lock.hpp"

namespace flowtap {

class KeptPlaces {
 public:
  KeptPlaces(NodeLock lock, std::string state_dir)
      : lock_(std::move(lock)), state_dir_(std::move(state_dir)) {}

  /// Takes the lock again and makes the state directory again if they are gone, and logs it. As long as one cannot be made again,
  /// `states` has it as a component that does not run.
  void keep(ComponentStates& states);

 private:
  void tell(ComponentStates& states, const char* name, const Result<bool>& kept, const std::string& mended);

  NodeLock lock_;
  std::string state_dir_;
  std::map<std::string, std::string> told_;  // the trouble that was logged last, by component
};

}  // namespace flowtap
