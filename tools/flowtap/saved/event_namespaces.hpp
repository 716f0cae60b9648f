// Which namespace the rows of a table of events are of that has no column for it: `kubectl get events` without -A prints the events
// of one namespace, and some of its rows name it in their message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tools/flowtap/pod_name.hpp"

namespace flowtap::cli {

inline constexpr std::string_view kPodKind = "pod";
inline constexpr std::string_view kScheduled = "Scheduled";
inline constexpr std::string_view kFailedScheduling = "FailedScheduling";

/// An event's object and message, as far as they tell the object's namespace. Does not own its texts.
struct NamingRow {
  std::string_view kind;  ///< of the object, as kubectl writes it
  std::string_view name;
  std::string_view reason;
  std::string_view message;
};

/// Whether an event's object is a pod: `kubectl events` writes "Pod".
[[nodiscard]] constexpr bool is_pod(std::string_view kind) {
  return kind == kPodKind || kind == "Pod";
}

/// The pod that a message names: "Successfully assigned shop/web-0 to node-1", "skip schedule deleting pod: shop/web-0".
[[nodiscard]] std::optional<PodName> pod_in(std::string_view message);

/// Where the message has the pod itself as "ns/name": "Pod ml/web-0 can possibly be assigned to node-1". Empty: it has not. It is
/// nothing of kube-scheduler's sentence, which has taints and numbers that look like a pod.
[[nodiscard]] std::string_view namespace_in(std::string_view message, std::string_view pod);

/// The namespace of the row's object, if the message says it in words that mean nothing else. Empty: it does not.
[[nodiscard]] std::string_view namespace_told(const NamingRow& row);

/// Owns its texts.
class EventNamespaces {
 public:
  static constexpr std::size_t kMost =
      100'000;  ///< tables whose namespace is kept; the rows of further ones tell only their own

  /// What comes now is of another table.
  void begin_table() { ++table_; }
  /// The number of this table, from 1 on.
  [[nodiscard]] std::uint64_t table() const { return table_; }
  /// A row of this table is of this namespace.
  void note(std::string_view ns);
  /// Empty: no row of the table names it, or two of them contradict each other.
  [[nodiscard]] std::string_view of(std::uint64_t table) const;

 private:
  std::uint64_t table_ = 1;
  std::map<std::uint64_t, std::string> names_;  // of a table; empty: its rows contradict each other
};

}  // namespace flowtap::cli
