// What the main log's file ends with. After a kill, lines come out of the journal again of which nobody wrote down that they
// had been written: those that stand there are not written twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace flowtap {

/// With how many of the first bytes of `again` the tail ends, from the beginning of a line on; the last line may have been cut
/// off. The longest run: lines without a time may stand there before as well. `tail` begins where a line does.
[[nodiscard]] std::size_t written_before(std::string_view tail, std::string_view again);

/// Up to where `text` stands in a file that ends so, a whole line at least, the last one perhaps cut off. Nothing: that cannot
/// be told, as of a file that was begun anew.
[[nodiscard]] std::optional<std::size_t> written_up_to(std::string_view tail, std::string_view text);

}  // namespace flowtap
