// What a start finds in a journal's directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stream/journal/journal_index.hpp"

namespace flowtap::flow {

/// A segment that is not ours to read: it is of another version, or has a broken head. It is renamed, and goes first when room is
/// needed.
struct SetAside {
  std::string path;
  std::uint64_t bytes = 0;
};

struct Replayed {
  std::uint64_t batches = 0;
  std::uint64_t streams = 0;     ///< known after it
  std::uint64_t torn_bytes = 0;  ///< cut off the end of the last segment: an append that did not finish
  std::uint64_t damaged_segments =
      0;  ///< older segments with a bad batch; what stood behind it is not readable
  std::uint64_t damaged_bytes = 0;
  std::uint64_t other_versions = 0;  ///< segments that another build wrote, set aside
  bool appendable = false;           ///< the last segment is whole, and can be continued
  std::vector<std::string> said;     ///< one sentence for each that is no whole segment of ours
};

/// Reads all segments of `dir` into the index, oldest first. The last one is cut behind its last whole batch. What cannot be read
/// is counted and reported, and stops nothing. A directory that is not there is empty.
[[nodiscard]] Replayed replay_journal(const std::string& dir, JournalIndex& index,
                                      std::vector<SetAside>& aside);

}  // namespace flowtap::flow
