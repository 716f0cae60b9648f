// A body in fewer bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowtap::http {

/// What is shorter is not worth it.
inline constexpr std::size_t kLeastToGzip = 1024;
/// What is larger would hold up all others who ask.
inline constexpr std::size_t kMostToGzip = std::size_t{4} << 20U;

/// `body` as one gzip member; nothing where there is no memory for it.
[[nodiscard]] std::optional<std::string> gzip(std::string_view body);

}  // namespace flowtap::http
