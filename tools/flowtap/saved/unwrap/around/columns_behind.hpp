// What an export has put behind a record in its line: further columns, a tag, or the end of a block of code. Behind a value without
// quotes, nothing else tells that it has ended.
#pragma once

#include <string_view>

namespace flowtap::cli {

/// The record without the columns behind it. `before`: what stands before it in its line.
[[nodiscard]] std::string_view without_columns_behind(std::string_view record, std::string_view before);

}  // namespace flowtap::cli
