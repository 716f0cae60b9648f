// Which request gets which answer: a pure function, without sockets and without the HTTP library.
#pragma once

#include <string>
#include <string_view>

#include "api/views.hpp"

namespace flowtap::api {

inline constexpr std::string_view kHealthPath = "/healthz";
inline constexpr std::string_view kReadyPath = "/readyz";
inline constexpr std::string_view kStatusPath = "/api/v1/status";
inline constexpr std::string_view kStatsPath = "/api/v1/stats";

/// The first line of a request, as the client sent it.
struct Request {
  std::string_view method;
  std::string_view target;  ///< path, and a query behind '?'
};

/// Always JSON.
struct Answer {
  unsigned status = 200;
  std::string body;
  std::string_view allow = {};  ///< for 405: the methods that there are
};

/// {"error": what, "hint": hint}, the latter only if there is one.
[[nodiscard]] Answer error_answer(unsigned status, std::string_view what, std::string_view hint = {});

/// Does not throw; a view that fails is answered with 500.
[[nodiscard]] Answer route(const Request& request, const NodeView& node) noexcept;

}  // namespace flowtap::api
