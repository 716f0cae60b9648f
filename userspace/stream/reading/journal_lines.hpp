// A flow's lines as the journal still has them, up to where the store's log stands.
#pragma once

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

namespace flowtap {

/// The journal has made room for other flows, too, so it may have more of a flow than the store's log has, or less. Its gaps stay:
/// what was found elsewhere since is in the store alone. Used by one thread.
class JournalLines {
 public:
  using Take = std::function<void(const flow::CriLine&)>;

  /// `ends` says where the store's log stands in each stream; absent: it has none, and all lines are given. The journal must
  /// outlive this.
  JournalLines(const flow::Journal& journal, const std::string& flow,
               const std::optional<std::map<flow::StreamNo, std::uint64_t>>& ends);

  /// What it has, of all streams together.
  struct Reach {
    std::uint64_t ends = 0;   ///< bytes that passed up to the ends
    std::uint64_t bytes = 0;  ///< of these, bytes from the oldest that it has on, with the gaps between them
    std::uint64_t missing = 0;  ///< of `ends`, bytes that it does not have
    std::optional<std::uint64_t> first =
        {};  ///< time of the oldest byte, ns since 1970; absent: there is none
    [[nodiscard]] bool is_without_gaps() const { return missing + bytes == ends; }
  };
  [[nodiscard]] const Reach& reach() const { return reach_; }

  /// Gives the lines of about `budget` bytes, in the order of capture, and each gap in its place. False: there are no more.
  [[nodiscard]] bool read(std::size_t budget, const Take& take);
  void begin_again();

 private:
  struct Source {
    std::string_view output;
    std::uint64_t end = 0;
    flow::LineAssembler lines = {};
    std::uint64_t time = 0;     // of its last bytes
    std::uint64_t missing = 0;  // bytes before the next ones; they get their time
    flow::MissingCause cause = flow::MissingCause::kUnknown;
  };

  void look_at(const flow::StreamView& stream, Source& source);
  static void give(Source& source, const flow::Piece& part, std::string_view text, const Take& take);
  static void give_gap(Source& source, const Take& take);
  static void finish(Source& source, std::uint64_t from, const Take& take);

  const flow::Journal& journal_;
  std::map<flow::StreamNo, Source> sources_;
  std::vector<flow::StreamCursor> cursors_;  // of sources that have not come to their ends
  Reach reach_;
};

}  // namespace flowtap
