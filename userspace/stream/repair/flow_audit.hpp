// Compares one flow that has ended with what its container's runtime has kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "stream/repair/histories.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// What a comparison says. The words stand in metrics.
enum class AuditResult : std::uint8_t {
  kEqual,       ///< every byte of both outputs is the same, from where the flow begins
  kDiffers,     ///< there are bytes that only one of them has
  kIncomplete,  ///< no difference in what both have, but the flow has gaps, or the runtime has kept less
  kNoSource,    ///< the runtime keeps no file that can be read
  kGone,        ///< the flow made room, or was written to again, or the audit was told to stop
};
constexpr std::size_t kAuditResults = 5;
[[nodiscard]] std::string_view to_string(AuditResult result);

struct FlowAudit {
  AuditResult result = AuditResult::kGone;
  std::string difference = {};  ///< in a few words, if there is one
};

/// Reads both in pieces of 64 KiB and holds one piece of each; before each piece it asks `go_on`.
[[nodiscard]] FlowAudit audit_flow(const flow::FlowStore& store, const Histories& histories,
                                   const std::string& id, const std::function<bool()>& go_on);

}  // namespace flowtap
