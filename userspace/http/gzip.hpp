// Compresses bodies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowtap::http {

/// Compressing a shorter body is not worth it.
inline constexpr std::size_t kLeastToGzip = 1024;
/// Compressing a larger body would hold up all other clients.
inline constexpr std::size_t kMostToGzip = std::size_t{4} << 20U;

/// `body` as one gzip member; nothing if there is no memory for it.
[[nodiscard]] std::optional<std::string> gzip(std::string_view body);

}  // namespace flowtap::http
