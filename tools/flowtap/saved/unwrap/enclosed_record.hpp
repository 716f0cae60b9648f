// Finds a record of klog's in a line by its own grammar, whatever stands around it, and undoes the quoting around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "around/prefix_kind.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::cli {

/// What was done to a text to put it between quotes.
enum class Quoting : std::uint8_t {
  kNone,     ///< nothing: the text goes on to the line's end
  kEscaped,  ///< JSON's and Go's: \" and \n
  kDoubled,  ///< CSV's: "", and the text may have several lines
  kRaw       ///< quotes around it, and its own quotes stand as they are
};

/// Whether a string that is not opened yet may be a later line of a value of several lines. It then begins no record, whatever it
/// says: a tenant may have written it. Go writes ">" as an escape, too.
[[nodiscard]] bool is_of_block_in_quotes(std::string_view string);

/// Whether the text has its own end in the line, and other values may stand behind it.
[[nodiscard]] constexpr bool is_between_quotes(Quoting quoting) {
  return quoting == Quoting::kEscaped || quoting == Quoting::kDoubled;
}

/// Where a text begins in a line, and what was done to it.
struct Enclosed {
  std::size_t at = 0;
  Quoting quoting = Quoting::kNone;
  unsigned depth = 0;  ///< kEscaped: how often the text was quoted before; JSON may stand in JSON
  flow::KlogForm form = flow::KlogForm::kText;  ///< if it is a record
  PrefixKind behind = PrefixKind::kTools;       ///< what stands before it
};

/// The first record that begins in the line at `from` or behind it. Within a line only a whole header counts, with its source. What
/// stands behind prose is a quotation and no record.
[[nodiscard]] std::optional<Enclosed> find_record(std::string_view line, std::size_t from = 0);

/// Where the line goes on behind the object that begins at `at`; npos: its end is not in this line.
[[nodiscard]] std::size_t end_of_object(std::string_view line, std::size_t at);

/// The text as the scheduler wrote it, without its last newline.
struct Opened {
  std::string_view text;
  std::size_t end = 0;  ///< where the line goes on behind it and its quotes
  bool closed = false;  ///< the quote or the bracket that ends it stands in this line
};

/// `buffer` holds the text where it differs from what stands in the line.
[[nodiscard]] Opened open_text(std::string_view line, const Enclosed& enclosed, std::string& buffer);

}  // namespace flowtap::cli
