// What this node knows of a pod, a container or a service besides how it ended: whether it runs, and what it has written.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "component/views/flow_views.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "why_exits.hpp"

namespace flowtap::cli {

struct Here {
  bool known = false;  ///< flowtapd has answered both questions
  std::vector<api::FlowStatus>
      flows;  ///< of its containers, for each the last run; or those that have the name
  std::vector<std::string> running;  ///< the names of its containers that are there now; or the service's
  bool sandbox = false;              ///< the pod's sandbox is there

  [[nodiscard]] bool any() const { return sandbox || !flows.empty() || !running.empty(); }
};

[[nodiscard]] Here ask_for_here(const std::string& state_dir, const PodName& pod);
/// For what is in no pod.
[[nodiscard]] Here ask_for_here(const std::string& state_dir, std::string_view name);

/// Notes who is known to have written nothing: all of its outputs were captured.
void note_silent(Ends& ends, const Here& here);

/// A table of the pod's containers: state and output.
[[nodiscard]] std::string here_text(const Here& here, const Ends& ends,
                                    std::chrono::system_clock::time_point now, const Style& style);

/// The lines below a bound pod's answer: what has become of the pod on its node. `node` is the node that it is bound
/// to; empty: not known. Returns an empty text if nothing is known.
[[nodiscard]] std::string bound_text(const PodName& pod, std::string_view node, const Here& here,
                                     const Ends& ends, std::chrono::system_clock::time_point now,
                                     const Style& style);

/// How a container or service of this name goes on: "runs again; flowtap logs container/a-1f8b has what it writes". Or
/// that it has ended and nobody has seen how. Empty if it does not go on and its last end is shown already.
[[nodiscard]] std::string named_words(const Here& here, const Ends& ends);

/// Adds the member "flows" to `body`, which is an object: as in /flows.
[[nodiscard]] std::string with_here(std::string_view body, const Here& here);

}  // namespace flowtap::cli
