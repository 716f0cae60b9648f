// What stands in front of a line when the lines of several containers are shown together: whose it is.
#pragma once

#include <map>
#include <set>
#include <string>

#include "api/views/flow_views.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// Names pods by no more than tells them apart: the namespace where there are several, the container where the pod has
/// several. What is not known ahead counts from when it is.
class Marks {
 public:
  void know(const api::FlowStatus& flow);
  /// "POD", "POD CONTAINER", "NAMESPACE/POD": in a colour of the pod's own, the same in every run. Of the containers of
  /// one pod alone: the container.
  [[nodiscard]] std::string of(const api::FlowStatus& flow, const Style& style) const;
  /// Only the containers of this pod are shown.
  void set_one_pod() { one_pod_ = true; }

 private:
  std::set<std::string> namespaces_;
  std::map<std::string, std::set<std::string>> containers_;  // by NAMESPACE/POD
  bool one_pod_ = false;
};

}  // namespace flowtap::cli
