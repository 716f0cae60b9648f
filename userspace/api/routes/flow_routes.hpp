// The answers of the stream path's routes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"

namespace flowtap::api {

/// The type of a body in which each line is JSON.
inline constexpr std::string_view kJsonLines = "application/jsonl";

/// The parts of a request that its route is given.
struct Call {
  const NodeView& node;
  std::vector<std::string> segments;  ///< the parts of the path in {}, decoded
  Parameters parameters;
  bool may_follow = true;

  /// The value of this parameter; absent: the request does not have it.
  [[nodiscard]] std::optional<std::string> parameter(std::string_view name) const {
    const std::string* value = parameters.find(name);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
};

/// The answer for an Error of FlowsView, with its status.
[[nodiscard]] Answer view_error(const Error& error);
/// The answer while nothing is captured.
[[nodiscard]] Answer not_running(const Error& error);
[[nodiscard]] Answer too_many_follow();

/// The flows that match the parameters namespace, pod, group and kind; with follow=true, line by line, and also flows
/// that come later.
[[nodiscard]] Answer list_flows(const Call& call);

/// The bytes of the flow with this id: its history, and with follow=true also what comes later.
[[nodiscard]] Answer read_flow(const Call& call);

/// What the process with this pid writes from now on.
[[nodiscard]] Answer tap_process(const Call& call);

/// The same as whole lines, with their times in front if the request asks for them.
[[nodiscard]] Answer tap_process_lines(const Call& call);

}  // namespace flowtap::api
