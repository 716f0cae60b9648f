// The reason under which kube-scheduler counts a node if another line says more about that node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flowtap::diagnosis {

/// The plugin of claims says so of a node at its first claim that is elsewhere. It may find then that it cannot give others either,
/// and that is what it counts the node by.
constexpr std::string_view kClaimElsewhere = "resourceclaim not available on the node";

/// Whether kube-scheduler's plugins say this of a node in the words that it counts nodes by.
[[nodiscard]] bool is_counted_by_words(std::string_view reason);

/// The beginnings of the reasons under which a node with this reason may be counted, likeliest first.
[[nodiscard]] std::vector<std::string> counted_as(std::string_view reason);

}  // namespace flowtap::diagnosis
