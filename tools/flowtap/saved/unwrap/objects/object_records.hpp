// Records whose header a collector has taken apart into members of an object, and events as the API server has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/members.hpp"
#include "tools/flowtap/saved/kube_events.hpp"

namespace flowtap::cli {

/// A record as klog writes it, and when it was written, in ns since 1970; 0: that is not known.
struct ObjectRecord {
  std::string text;
  std::uint64_t time = 0;
  std::optional<KubeEvent> event = {};  ///< the record says this
  std::string source = {};              ///< what a collector calls its log; empty: nothing, or it is an event
};

/// The record as klog writes it of a message and its pairs. `time` in ns since 1970, `place` in the program, also without the line.
[[nodiscard]] std::string record_of_body(std::uint64_t time, std::string_view place, std::string_view body);

/// Whether a scheduler that is known writes it.
[[nodiscard]] bool is_of_known_scheduler(const std::string& record);

/// A message of klog's, beside the place in the program from which it came. One without pairs has its severity and its time
/// beside it, too, and is one that a known scheduler writes.
///   {"jsonPayload":{"message":"\"Attempting to schedule pod\" pod=\"a/b\""},"sourceLocation":{"file":"schedule_one.go"},...}
[[nodiscard]] std::optional<ObjectRecord> headerless_record(const boost::json::object& object);

/// An event of a pod, of the kind Event, as it stands in the object; KubeEvents::judge() knows what it is worth.
[[nodiscard]] std::optional<ObjectRecord> event_record(const boost::json::object& object);

}  // namespace flowtap::cli
