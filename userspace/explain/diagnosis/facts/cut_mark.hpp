// What tools write in the place of what they have left out of a text.
#pragma once

#include <string_view>

namespace flowtap::diagnosis {

/// The text before such a mark and the spaces around it, as in "12 Insufficient cpu...", "cpu [truncated 300 bytes]", "cpu[...]" or
/// "cpu>"; all of it, if there is none.
[[nodiscard]] std::string_view without_cut_mark(std::string_view text);

/// Whether kube-scheduler's sentence, which ends with a full stop, was cut by something that has closed its quote.
[[nodiscard]] bool is_cut_sentence(std::string_view text);

/// The name that a text begins with, without what a terminal, a page or a table has put behind it: quotes, colours, tags, borders.
/// Empty if anything else stands there: other words, or the mark of a cut, since the beginning of a name may be another's name.
[[nodiscard]] std::string_view whole_name(std::string_view text);

}  // namespace flowtap::diagnosis
