// A scheduler's message without klog's header, as an export of fields has it beside the time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap::cli {

/// A record that was put together.
struct DatedRecord {
  std::string text;
  std::uint64_t time;  ///< ns since 1970
};

/// The record of such a line, or of such a row of CSV:
///   2026-11-26 10:00:00.100 UTC "Attempting to schedule pod" pod="shop/web"
///   x1,"""Attempting to schedule pod"" pod=""shop/web""",2026-11-26T10:00:00.100001000Z
/// Nothing: no known scheduler writes such a message, no time stands beside it, or other words stand before it.
[[nodiscard]] std::optional<DatedRecord> record_of_message(std::string_view line);

}  // namespace flowtap::cli
