// A flow's lines as the journal still has them, up to where the store's log stands, or begins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/journal/journal.hpp"
#include "stream/lines/cri_line.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {

/// By flow::output_index().
using OfOutputs = std::array<std::uint64_t, 2>;

/// The journal has made room for other flows, too, so it may have more of a flow than the store's log has, or less. Its gaps stay:
/// what was found elsewhere since is in the store alone. Used by one thread.
class JournalLines {
 public:
  using Take = std::function<void(const flow::CriLine&)>;
  /// Offsets in streams. A stream that is not named stands at 0.
  using Offsets = std::map<flow::StreamNo, std::uint64_t>;

  /// `ends` says where the store's log stands in each stream; absent: it has none, and all lines are given. The journal must
  /// outlive this.
  /// `lost_by`: why bytes are missing of which the journal does not know that.
  JournalLines(const flow::Journal& journal, const std::string& flow, const std::optional<Offsets>& ends,
               flow::MissingCause lost_by = flow::MissingCause::kUnknown);

  /// What it has, of all streams together.
  struct Reach {
    OfOutputs ends{};         ///< bytes that passed up to the ends
    std::uint64_t bytes = 0;  ///< of these, bytes from the oldest that it has on, with the gaps between them
    std::uint64_t missing = 0;  ///< of `ends`, bytes that it does not have
    bool broke_off = false;     ///< and nobody knows how many more
    std::optional<std::uint64_t> first =
        {};  ///< time of the oldest byte, ns since 1970; absent: there is none
    [[nodiscard]] std::uint64_t all() const { return ends[0] + ends[1]; }
    [[nodiscard]] bool is_without_gaps() const { return !broke_off && missing + bytes == all(); }
  };
  [[nodiscard]] const Reach& reach() const { return reach_; }

  /// How many bytes of each output it has given up. Nothing: an output has several streams.
  [[nodiscard]] std::optional<OfOutputs> begins() const;
  /// No more than this many bytes of each output are given, counted from its beginning. A line or gap that goes on there is cut.
  void end_at(const OfOutputs& bytes);
  /// How many of these bytes the journal has given up.
  [[nodiscard]] std::uint64_t given_up() const;
  /// Gives the lines of about `budget` bytes, in the order of capture, and each gap in its place. False: there are no more.
  [[nodiscard]] bool read(std::size_t budget, const Take& take);
  /// Where the next line, or gap, of each stream begins. While a line is given, this is where it begins.
  [[nodiscard]] Offsets next() const;
  /// Goes on from there.
  void go_to(const Offsets& next);
  /// How many bytes stand before that, of all streams together.
  [[nodiscard]] std::uint64_t passed() const { return given_[0] + given_[1]; }
  /// Where the oldest bytes stand that the journal has now.
  [[nodiscard]] Offsets oldest() const;

 private:
  struct Source {
    std::string_view output;
    std::uint64_t end = 0;
    std::uint64_t last = 0;   // time of the stream's last bytes, as far as was known
    bool broke_off = false;   // at `end`
    std::uint64_t given = 0;  // up to here
    flow::LineAssembler lines = {};
    std::uint64_t time = 0;     // of the bytes that were read last
    std::uint64_t missing = 0;  // bytes before the next ones; they get their time
    flow::MissingCause cause = flow::MissingCause::kUnknown;
  };

  [[nodiscard]] std::uint64_t find_oldest(flow::StreamNo stream, std::uint64_t end,
                                          std::optional<std::uint64_t>* time = nullptr) const;
  [[nodiscard]] std::uint64_t room_for(const Source& source) const;
  void drop_full_outputs();
  void finish_forgotten(const Take& take);
  void add(Source& source, const flow::Piece& part, std::string_view text, const Take& take);
  void give(Source& source, const flow::LineView& line, const Take& take);
  void give_gap(Source& source, const Take& take);
  void finish(Source& source, std::uint64_t from, const Take& take);

  const flow::Journal* journal_;
  flow::MissingCause lost_by_;
  std::map<flow::StreamNo, Source> sources_;
  std::vector<flow::StreamCursor> cursors_;  // of sources that have not come to their ends
  Reach reach_;
  OfOutputs most_{~std::uint64_t{0}, ~std::uint64_t{0}};
  OfOutputs given_{};
};

}  // namespace flowtap
