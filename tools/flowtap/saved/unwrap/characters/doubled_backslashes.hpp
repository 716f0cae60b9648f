// PostgreSQL's COPY and ClickHouse's TSV write two backslashes for each.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

/// The line as it was before, if it is such a row: it has tabs, and two backslashes stand before a quote behind which a word goes
/// on. `buffer` holds it then.
[[nodiscard]] std::string_view without_doubled_backslashes(std::string_view line, std::string& buffer);

}  // namespace flowtap::cli
