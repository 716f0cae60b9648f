// "Did you mean ...?": the known word that a mistyped one is nearest to.
#pragma once

#include <span>
#include <string_view>

namespace flowtap {

/// The candidate that differs least from `wanted`, if it is near enough to be meant; otherwise empty. Case does not
/// matter, and neither does the separator (. - _) between words.
[[nodiscard]] std::string_view nearest(std::string_view wanted, std::span<const std::string_view> candidates);

}  // namespace flowtap
