// Why bytes of a log are missing.
#pragma once

#include <cstdint>
#include <string_view>

namespace flowtap::flow {

/// The first five are losses in the kernel (bpf/abi/log.h), the next five are known to the journal.
enum class MissingCause : std::uint8_t {
  kRingFull,
  kFault,
  kUncaptured,  ///< they passed in a way that cannot be captured, or in a call that the kernel kept from all programs
  kQuiet,
  kUnread,      ///< whoever read the pipe has left before it had read them
  kMadeRoom,    ///< they were captured, and had to go for newer ones; some of them may have been lost before
  kUnwritten,   ///< they were captured while the journal could not be written
  kUnreadable,  ///< the journal's segment could not be read
  kElsewhere,   ///< another state directory was in use, or this one was emptied since
  kBrokeOff,    ///< nothing was captured for a while, and nobody has counted what was written then
  kUnknown,
  kBefore,  ///< they were written before the capture, and nobody has kept them; behind the others, whose numbers the index has
};

/// The cause in one word, as files, JSON and attributes have it: "ring_full". Empty: it is not known.
[[nodiscard]] std::string_view to_string(MissingCause cause);
/// The cause of this word; kUnknown for any other.
[[nodiscard]] MissingCause missing_cause(std::string_view word);
/// For people: "the ring was full". Empty: it is not known.
[[nodiscard]] std::string_view in_words(MissingCause cause);

}  // namespace flowtap::flow
