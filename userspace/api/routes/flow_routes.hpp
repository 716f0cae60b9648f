// The answers of the stream path's routes.
#pragma once

#include <string>
#include <vector>

#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"

namespace flowtap::api {

/// The type of a body whose lines are JSON each.
inline constexpr std::string_view kJsonLines = "application/jsonl";

/// What a route is given of a request that fits it.
struct Call {
  const NodeView& node;
  std::vector<std::string> segments;  ///< the parts of the path in {}, decoded
  Parameters parameters;
  bool may_follow = true;
};

/// The answer for an Error of FlowsView, with its status.
[[nodiscard]] Answer view_error(const Error& error);
/// The answer while nothing is captured.
[[nodiscard]] Answer not_running(const Error& error);
[[nodiscard]] Answer too_many_follow();

/// The flows that fit the parameters namespace, pod, group and kind; with follow=true, line by line, also those that come.
[[nodiscard]] Answer list_flows(const Call& call);

/// The bytes of the flow with this id: history, and with follow=true what comes.
[[nodiscard]] Answer read_flow(const Call& call);

/// What the process with this pid writes from now on.
[[nodiscard]] Answer tap_process(const Call& call);

/// The same as whole lines, with their times in front where that is asked for.
[[nodiscard]] Answer tap_process_lines(const Call& call);

}  // namespace flowtap::api
