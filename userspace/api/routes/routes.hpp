// Finds the answer to a request, without sockets and without the HTTP library.
#pragma once

#include <string_view>

#include "component/views/views.hpp"
#include "http/messages/message.hpp"

namespace flowtap::api {

inline constexpr std::string_view kHealthPath = "/healthz";
inline constexpr std::string_view kReadyPath = "/readyz";
inline constexpr std::string_view kStatusPath = "/api/v1/status";
inline constexpr std::string_view kStatsPath = "/api/v1/stats";
inline constexpr std::string_view kWorkloadsPath = "/api/v1/workloads";
inline constexpr std::string_view kFlowsPath = "/api/v1/flows";
inline constexpr std::string_view kNamespacesPath = "/api/v1/namespaces";
inline constexpr std::string_view kProcessesPath = "/api/v1/processes";
inline constexpr std::string_view kExitsPath = "/api/v1/exits";
inline constexpr std::string_view kSchedulerLogsPath = "/api/v1/schedulerlogs";

using http::Answer;
using http::error_answer;
using http::kJson;
using http::kMissingHeader;
using http::Request;
using http::StreamBody;

/// Does not throw; a view that fails is answered with 500.
[[nodiscard]] Answer route(const Request& request, const NodeView& node) noexcept;

}  // namespace flowtap::api
