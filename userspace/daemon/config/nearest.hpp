// "Did you mean ...?": the known word that a mistyped one is nearest to.
#pragma once

#include <span>
#include <string_view>

namespace flowtap {

/// The candidate that differs least from `wanted`, when it is near enough to be meant; else empty. Case does
/// not matter, nor which of the separators . - _ stands between words.
[[nodiscard]] std::string_view nearest(std::string_view wanted, std::span<const std::string_view> candidates);

}  // namespace flowtap
