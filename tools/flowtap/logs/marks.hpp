// The mark in front of each line when the lines of several containers are shown together: it names the container.
#pragma once

#include <map>
#include <set>
#include <string>

#include "component/views/flow_views.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// Names pods with no more than is needed to tell them apart: with the namespace if there are several, and with the
/// container if the pod has several. A container that joins later counts from then on.
class Marks {
 public:
  void know(const api::FlowStatus& flow);
  /// "POD", "POD CONTAINER", "NAMESPACE/POD": in a colour of the pod's own, the same in every run. If only the
  /// containers of one pod are shown: the container.
  [[nodiscard]] std::string of(const api::FlowStatus& flow, const Style& style) const;
  /// Only the containers of this pod are shown.
  void set_one_pod() { one_pod_ = true; }

 private:
  std::set<std::string> namespaces_;
  std::map<std::string, std::set<std::string>> containers_;  // by NAMESPACE/POD
  bool one_pod_ = false;
};

}  // namespace flowtap::cli
