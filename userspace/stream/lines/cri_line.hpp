// The CRI log format, in which flows are kept: "<RFC3339Nano> <stdout|stderr> <P|F> <text>\n"
// (kubernetes/design-proposals-archive, node/kubelet-cri-logging.md). Tags are divided by ":", and readers look only at the first
// one. A gap therefore gets a tag of ours that no container can write, "F:missing=123", and one that says why, if that is known:
// "F:missing=123:cause=ring_full". Lines that may not be what was written get one too: "F:approximate".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/lines/missing_cause.hpp"

namespace flowtap::flow {

/// One line of such a file. Does not own its text.
struct CriLine {
  std::uint64_t time = 0;                ///< ns since 1970
  std::string_view output;               ///< stdout or stderr
  bool full = false;                     ///< F: a line, or the end of one; P: what follows belongs to it
  std::optional<std::uint64_t> missing;  ///< a gap of this many bytes, and the text says so; see counted()
  std::string_view text;
  bool approximate = false;                     ///< put in the place of a gap, as the best match
  MissingCause cause = MissingCause::kUnknown;  ///< of a gap
  /// Of its stream; a gap's are those that are missing.
  [[nodiscard]] std::uint64_t bytes() const { return missing.value_or(text.size() + (full ? 1 : 0)); }
  /// How many bytes a gap lacks. Nothing: nobody knows, or the line is no gap.
  [[nodiscard]] std::optional<std::uint64_t> counted() const {
    return cause == MissingCause::kBrokeOff || missing == 0U ? std::nullopt : missing;
  }
};

/// The time of a line as the format has it. Writing times one second after the other costs little.
class CriTime {
 public:
  /// Thirty characters.
  [[nodiscard]] std::string_view text(std::uint64_t ns);

 private:
  std::uint64_t second_ = ~std::uint64_t{0};
  std::string text_;
};

void put_cri_line(std::string& out, CriTime& clock, const CriLine& line);

/// What a gap's sentence says beside its bytes and their cause.
struct GapWords {
  bool at_most = false;  ///< perhaps fewer bytes
  bool of_both = false;  ///< of both outputs, where only one is shown
  bool of_scheduler =
      false;  ///< in a log that has some of a scheduler's records: nobody knows which ones were lost
};
/// "[flowtap: 123 bytes are missing here: the ring was full]". For 0 bytes, and for MissingCause::kBrokeOff, it gives no number.
[[nodiscard]] std::string gap_text(std::uint64_t bytes, MissingCause cause = MissingCause::kUnknown,
                                   const GapWords& words = {});
[[nodiscard]] std::string scheduler_gap_text(std::uint64_t bytes);
/// The words of such a sentence.
[[nodiscard]] GapWords gap_words(std::string_view text);

/// What a line of such a file stands for in its stream. Does not own its text.
struct CriPart {
  std::string_view output;
  bool full = false;
  bool gap = false;
  std::uint64_t bytes = 0;  ///< of the stream; a gap's are those that are missing
  std::string_view text;
};
/// Takes a line without its newline. Its time is not looked at.
[[nodiscard]] CriPart cri_part(std::string_view line);

/// Parses a line without its newline, from any runtime; nothing if it is not one.
[[nodiscard]] std::optional<CriLine> parse_cri_line(std::string_view line);

}  // namespace flowtap::flow
