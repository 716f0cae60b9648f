#include "component/component_states.hpp"

#include <string_view>

#include "component/log_error.hpp"

namespace flowtap {

void ComponentStates::set(api::ComponentStatus component) {
  std::string name = component.name;
  states_.insert_or_assign(std::move(name), std::move(component));
}

void ComponentStates::set(const std::string& name, const Status& status, std::string detail) {
  if (status)
    set({name, true, std::move(detail), {}});
  else
    set({name, false, status.error().what, status.error().hint});
}

std::vector<api::ComponentStatus> ComponentStates::all() const {
  std::vector<api::ComponentStatus> all;
  all.reserve(states_.size());
  for (const auto& [name, c] : states_) all.push_back(c);
  return all;
}

std::string ComponentStates::missing() const {
  std::string text;
  std::string_view between = "; not running: ";
  for (const auto& [name, c] : states_) {
    if (c.up) continue;
    text.append(between).append(name);
    between = ", ";
  }
  return text;
}

void ComponentStates::log_missing() const {
  for (const auto& [name, c] : states_)
    if (!c.up) log_error(Error{name + " is not running: " + c.detail, c.hint, 0});
}

}  // namespace flowtap
