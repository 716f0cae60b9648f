// Which request gets which answer: without sockets and without the HTTP library.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/views/views.hpp"

namespace flowtap::api {

inline constexpr std::string_view kHealthPath = "/healthz";
inline constexpr std::string_view kReadyPath = "/readyz";
inline constexpr std::string_view kStatusPath = "/api/v1/status";
inline constexpr std::string_view kStatsPath = "/api/v1/stats";
inline constexpr std::string_view kWorkloadsPath = "/api/v1/workloads";
inline constexpr std::string_view kFlowsPath = "/api/v1/flows";
inline constexpr std::string_view kNamespacesPath = "/api/v1/namespaces";
inline constexpr std::string_view kProcessesPath = "/api/v1/processes";
inline constexpr std::string_view kSchedulerLogsPath = "/api/v1/schedulerlogs";

inline constexpr std::string_view kJson = "application/json";

/// The header and the trailer that tell what a raw body lacks.
inline constexpr std::string_view kMissingHeader = "X-Flowtap-Missing-Bytes";

/// The first line of a request, as the client sent it.
struct Request {
  std::string_view method;
  std::string_view target;  ///< path, and a query behind '?'
  bool may_follow = true;   ///< false: as many follow as can
};

/// A body that is read while it is sent.
struct StreamBody {
  std::unique_ptr<RawReader> reader;
  bool follow = false;                                        ///< wait for more where the reader has none
  std::optional<std::uint64_t> missing_bytes = std::nullopt;  ///< of what is there now
  std::string_view type = "application/octet-stream";
};

/// JSON, or the bytes of a stream.
struct Answer {
  unsigned status = 200;
  std::string body = {};
  std::string_view allow = {};                      ///< for 405: the methods that there are
  std::chrono::seconds retry_after{};               ///< for 429: how long to wait; 0 where that is not known
  std::optional<StreamBody> stream = std::nullopt;  ///< in place of `body`
};

/// {"error": what, "hint": hint}, the latter only if there is one.
[[nodiscard]] Answer error_answer(unsigned status, std::string_view what, std::string_view hint = {});

/// Does not throw; a view that fails is answered with 500.
[[nodiscard]] Answer route(const Request& request, const NodeView& node) noexcept;

}  // namespace flowtap::api
