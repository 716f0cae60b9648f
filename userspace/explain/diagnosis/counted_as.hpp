// Under which reason kube-scheduler counts a node of which another line says more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flowtap::diagnosis {

/// The beginnings of the reasons under which a node with this reason may be counted, likeliest first.
[[nodiscard]] std::vector<std::string> counted_as(std::string_view reason);

}  // namespace flowtap::diagnosis
