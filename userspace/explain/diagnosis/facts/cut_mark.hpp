// What tools write in the place of what they have left out of a text.
#pragma once

#include <string_view>

namespace flowtap::diagnosis {

/// The text before such a mark and the spaces around it, as in "12 Insufficient cpu...", "cpu [truncated 300 bytes]", "cpu[...]" or
/// "cpu>"; all of it, if there is none.
[[nodiscard]] std::string_view without_cut_mark(std::string_view text);

/// Whether kube-scheduler's sentence, which ends with a full stop, was cut by something that has closed its quote.
[[nodiscard]] bool is_cut_sentence(std::string_view text);

/// What stands in the middle of a record, in the place of what did not fit on the screen: `systemctl status` and journalctl, unless
/// asked for the full width, leave nine tenths of the width from the line's beginning, and the rest from its end. Empty: no line
/// of the record has such a sign in just that place. In any other place, dots are the text's own.
[[nodiscard]] std::string_view gap_in(std::string_view record);

/// The text before its gap: before the last `gap` that stands in it, which gap_in() has found in the record. If that is empty, only
/// kube-scheduler's sentence can have one, within a word; an ellipsis behind a word may be a plugin's own.
[[nodiscard]] std::string_view before_gap(std::string_view text, std::string_view gap);

/// Whether the text, which may be a name, has a gap in its middle. A name has neither sign.
[[nodiscard]] bool has_gap(std::string_view name);

/// The name that a text begins with, without what a terminal, a page or a table has put behind it: quotes, colours, tags, borders.
/// Empty if anything else stands there: other words, or the mark of a cut, since the beginning of a name may be another's name.
[[nodiscard]] std::string_view whole_name(std::string_view text);

}  // namespace flowtap::diagnosis
