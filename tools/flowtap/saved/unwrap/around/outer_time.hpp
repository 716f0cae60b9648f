// When a line was written, by what a tool has put around it: klog's own time has neither year nor zone.
#pragma once

#include <cstdint>
#include <string_view>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {

/// The time that stands next to the record and agrees with the record's own, in ns since 1970; 0: there is none. `before` is what
/// stands before the record, `behind` what follows it. Times are in RFC 3339, also with a space, a comma or without a zone (then
/// it is UTC), numbers since 1970 in s, ms, µs or ns, labels of TAI64, or as web pages show them ("11/26/2026, 10:00:00.100 AM").
[[nodiscard]] std::uint64_t outer_time(const flow::KlogRecord& record, std::string_view before,
                                       std::string_view behind);

/// The first such time near the text's beginning, in ns since 1970; 0: there is none.
[[nodiscard]] std::uint64_t first_time(std::string_view text);

/// Whether there is one.
[[nodiscard]] inline bool has_time(std::string_view text) {
  return first_time(text) != 0;
}

}  // namespace flowtap::cli
