// The state that is kept of a flow beside its lines, so that a start goes on exactly where the last process stood.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernel/records/record.hpp"
#include "stream/lines/missing_cause.hpp"

namespace flowtap::flow {

/// A place in a flow's log: bytes of the CRI format, counted from the flow's very first line on. Bytes that have made room since
/// count too.
using LogPosition = std::uint64_t;

/// A line that is only partly here.
struct OpenLine {
  StreamNo stream = 0;
  std::string output;
  bool operator==(const OpenLine&) const = default;
};

/// What a flow's source wrote before it was captured, which is in its runtime's files at best.
struct Before {
  enum class State : std::uint8_t {
    kNone,       ///< it was captured from its beginning, as far as is known
    kUncounted,  ///< it was not, and nobody has counted that yet, or can
    kCounted,
  };
  State state = State::kNone;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  ///< as people see them
  bool operator==(const Before&) const = default;
};

/// It has many members, since it is all that a start has to know of a flow.
struct FlowState {
  std::string id;
  std::uint64_t inode = 0;         ///< of its file; 0: it has none
  LogPosition base = 0;            ///< of the file's first byte
  std::uint64_t length = 0;        ///< of the file; what stands behind it does not count
  std::uint64_t lines_before = 0;  ///< lines that stood before `base`
  std::uint64_t lines = 0;         ///< of the format, in all, up to the file's end
  std::uint64_t missing = 0;       ///< bytes of its streams in gaps
  std::uint64_t refilled = 0;      ///< bytes that were in gaps, and are there now
  std::uint64_t first = 0;         ///< time of the first line, ns since 1970; 0: there was none
  std::uint64_t last = 0;
  std::uint64_t ended = 0;  ///< when its last stream ended; 0: it has not
  /// Up to where its streams stand in the file. Streams that nobody will add to any more are only part of a sum.
  std::map<StreamNo, std::uint64_t> streams;
  std::uint64_t past = 0;             ///< that sum, or the sum of all, if the flow has only some lines
  std::optional<OpenLine> open = {};  ///< of such a flow: the line that the file ends amid
  /// Bytes of its streams that stood before the file's first line. Absent: an earlier build has not noted it.
  std::optional<std::uint64_t> made_room = 0;
  std::uint64_t shown = 0;     ///< lines as people see them (ShownLines), up to the file's end
  std::array<bool, 2> amid{};  ///< whether stdout and stderr end amid such a line there
  /// The capture of one of its streams ended before the stream did. Nobody has counted what was written then.
  bool broke_off = false;
  /// Streams whose break the flow has told or passed over, also where the mark has made room since.
  std::set<StreamNo> breaks = {};
  Before before = {};
  std::optional<std::uint64_t> returns =
      0;  ///< how many "\r" before newlines its streams had, up to the file's end; absent: it is not known
  std::optional<std::uint64_t> made_room_returns = 0;  ///< of these, those in `made_room`
  /// Why bytes are missing in its gaps; kUnknown: it is not known of one, or they have several causes. Absent: it had no gap.
  std::optional<MissingCause> gap_cause = {};
  std::string runtime = {};  ///< of its container: "containerd"; empty: it is not known, or there is none
  bool operator==(const FlowState&) const = default;
};

}  // namespace flowtap::flow
