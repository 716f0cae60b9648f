// Which names are those of pod groups that kube-scheduler makes room for, as far as its log has told. A gang's pod may be called as
// its group, so a name that the log has given to a pod is the pod's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "base/lru.hpp"
#include "stream/lines/flow_key.hpp"

namespace flowtap::diagnosis {

/// A name is "ns/name". Those that were named the longest ago are forgotten first.
class GroupNames {
 public:
  static constexpr std::size_t kMostGroups = 1024;
  static constexpr std::size_t kMostPods = 4096;

  /// Whether only a scheduler that places groups itself says this, kube-scheduler from 1.36 on. Plugins have named groups long
  /// before, and room was made for pods only.
  [[nodiscard]] static bool are_named_by(std::string_view message);

  void note_group(const std::string& name) { groups_.put(name, {}); }
  void note_pod(const flow::FlowKey& pod);

  [[nodiscard]] bool has(const std::string& name) const {
    return groups_.peek(name) != nullptr && pods_.peek(name) == nullptr;
  }

 private:
  Lru<std::monostate> groups_{kMostGroups};
  Lru<std::monostate> pods_{kMostPods};
  std::string last_pod_;
  std::string pod_;  // to spare its allocation
};

}  // namespace flowtap::diagnosis
