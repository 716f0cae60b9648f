// The end of the main log's file. After a kill, lines come out of the journal again, and nothing says whether they had been
// written: those that stand in the file are not written twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace flowtap {

/// How many of the first bytes of `again` the tail ends with, from the beginning of a line on; the last line may have been cut
/// off. It takes the longest run, since lines without a time may stand there earlier as well. `tail` begins where a line does.
[[nodiscard]] std::size_t written_before(std::string_view tail, std::string_view again);

/// How far `text` is written in a file with this tail: at least one whole line must match, and the last line may have been cut
/// off. Nothing: that cannot be told, for example because the file was begun anew.
[[nodiscard]] std::optional<std::size_t> written_up_to(std::string_view tail, std::string_view text);

}  // namespace flowtap
