// A request and its answer as the handler sees them: without sockets and without the HTTP library.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/body_reader.hpp"

namespace flowtap::http {

inline constexpr std::string_view kJson = "application/json";

/// The header and the trailer that tell how many bytes a raw body lacks.
inline constexpr std::string_view kMissingHeader = "X-Flowtap-Missing-Bytes";

/// The trailer of a followed body that says why it ends although the flow goes on.
inline constexpr std::string_view kUnfinishedHeader = "X-Flowtap-Unfinished";

/// The first line of a request, as the client sent it.
struct Request {
  std::string_view method;
  std::string_view target;  ///< the path, and a query after '?'
  bool may_follow = true;   ///< false: the limit on clients that follow is reached
};

/// A body that is read while it is sent.
struct StreamBody {
  std::unique_ptr<BodyReader> reader;
  bool follow = false;                                        ///< wait for more when the reader has none
  std::optional<std::uint64_t> missing_bytes = std::nullopt;  ///< of the bytes that are there now
  std::string_view type = "application/octet-stream";
};

/// JSON, or the bytes of a stream.
struct Answer {
  unsigned status = 200;
  std::string body = {};
  std::string_view allow = {};                      ///< for 405: the methods that are allowed
  std::chrono::seconds retry_after{};               ///< for 429: how long to wait; 0 if that is not known
  std::optional<StreamBody> stream = std::nullopt;  ///< instead of `body`
};

/// {"error": what, "hint": hint}; the hint only if there is one.
[[nodiscard]] Answer error_answer(unsigned status, std::string_view what, std::string_view hint = {});

}  // namespace flowtap::http
