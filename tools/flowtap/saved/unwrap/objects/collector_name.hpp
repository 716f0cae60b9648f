// What a collector calls the log that a line is from, in members beside the line: the pod and its container, a log stream, or the
// machine and a unit. Without it, the lines of two schedulers in one export look like one log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/members.hpp"

namespace flowtap::cli {

/// Of one object or list. Only members count that a collector writes in a place of its own. Anything else may be a copy of what the
/// line says, and so a pod's name in it is the name of the pod that the scheduler writes about.
class CollectorName {
 public:
  /// Names are at most so many keys below the object.
  static constexpr std::size_t kDeepest = 3;
  /// Elasticsearch keeps there what the collector wrote.
  static constexpr std::string_view kKept = "_source";

  /// The object has a member of this name, of whatever kind.
  void note(std::string_view key);
  /// `path`: the keys from the object to the text, with full stops between them, as in "kubernetes.pod_name".
  void add(std::string_view path, std::string_view text);

  /// The members of an object in which a store keeps what the collector wrote count as this one's.
  void add(const CollectorName& kept);

  /// Namespace, pod and container, or what else tells logs apart there, with a newline between each two, as no name has one. A part
  /// that is not known is empty. An empty text: nothing tells the log.
  [[nodiscard]] std::string text() const;

 private:
  struct Part {
    std::size_t row;
    std::string text;
  };
  std::vector<Part> parts_;
  std::uint32_t noted_ = 0;  // a bit for each shape of which the object has the member
};

/// Of an object that was read.
[[nodiscard]] std::string collector_name(const boost::json::object& object);

}  // namespace flowtap::cli
