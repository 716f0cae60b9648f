// NAMESPACE/POD, as a user writes it.
#pragma once

#include <optional>
#include <string_view>

namespace flowtap::cli {

struct PodName {
  std::string_view ns;
  std::string_view name;
};

/// Nothing: the text does not have this form.
[[nodiscard]] inline std::optional<PodName> pod_name(std::string_view of) {
  const std::size_t slash = of.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == of.size() ||
      of.find('/', slash + 1) != std::string_view::npos)
    return std::nullopt;
  return PodName{of.substr(0, slash), of.substr(slash + 1)};
}

}  // namespace flowtap::cli
