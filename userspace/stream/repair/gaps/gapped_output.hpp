// One output of a flow with gaps: as it was captured, and as its runtime has kept it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/cri_line.hpp"
#include "stream/repair/runtime_files/gap_search.hpp"
#include "stream/store/flow_log.hpp"

namespace flowtap {

/// The most of each output that is looked through at once in what the runtime has kept.
constexpr std::size_t kMostKept = std::size_t{16} << 20U;

struct LoggedGap {
  flow::LogPosition at = 0;
  std::string line;        ///< with its newline
  std::uint64_t time = 0;  ///< ns since 1970
  std::uint64_t from = 0;  ///< the same, of the line with the first byte that is looked for beside it
  bool wanted = false;     ///< it is not known yet what becomes of the gap
  flow::MissingCause cause = flow::MissingCause::kUnknown;
};

/// It has many members, since it is two texts and how far each was read.
struct GappedOutput {
  struct Read {
    std::size_t at = 0;  ///< a place in `kept`; for `side`, in `captured`
    std::uint64_t time = 0;
  };

  std::string_view name;
  std::string captured;
  std::vector<flow::GapPlace> places;
  std::vector<LoggedGap> gaps;  ///< the same gaps as `places`
  std::string kept;
  std::size_t most_kept = kMostKept;
  std::vector<Read> reads;
  std::optional<std::uint64_t> first;         ///< the earliest time that is looked for, before the first gap
  std::optional<std::uint64_t> begins;        ///< time of the first line that was captured
  bool leaves_out = false;                    ///< `kept` does not have older lines, which there are
  bool lacks_lines = false;                   ///< `kept` may lack some that could not be read
  bool reads_kept = true;                     ///< `kept` is still being read
  bool close = false;                         ///< `kept` begins right before the first gap that is wanted
  bool approximate = false;                   ///< the last line that was taken is an approximate refill
  std::optional<flow::LogPosition> waits_at;  ///< the gap at the end, which may not be the end yet
  /// Lines since the last gap. They begin with the line that has the first byte that is looked for beside the next gap.
  std::deque<Read> side;

  [[nodiscard]] bool is_full() const { return !first || kept.size() > most_kept; }

  /// Takes a captured line.
  void take(const flow::CriLine& line);
  /// Drops the text that was taken, where no runtime has kept anything that it could be looked for in.
  void forget_text();
  /// Takes a captured gap.
  void take_gap(const flow::CriLine& line, LoggedGap gap);

  /// Whether `kept` is full before it has the bytes of a gap, since so much was written before it.
  /// @param slack  ns; how much earlier than it was captured a line may have been dated
  [[nodiscard]] bool falls_short_of(std::size_t gap, std::uint64_t slack) const;
  /// The same of the first gap that is wanted.
  [[nodiscard]] bool falls_short(std::uint64_t slack) const;
  /// What was read so far is given up, to be read again from right before that gap.
  void read_close();

  /// Where lines begin in `kept` that the runtime has dated at this time or later.
  [[nodiscard]] std::size_t kept_since(std::uint64_t time) const;
  /// The lines for the place of a gap: what was found of `missing` bytes, and behind that a gap for the rest.
  [[nodiscard]] flow::GapFill fill(const LoggedGap& gap, const flow::Refill& found, std::uint64_t missing,
                                   flow::CriTime& clock) const;

 private:
  [[nodiscard]] std::uint64_t time_at(std::size_t at) const;
};

}  // namespace flowtap
