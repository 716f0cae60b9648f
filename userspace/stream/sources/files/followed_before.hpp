// The files that an earlier service followed, as its journal has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/log/open_files.hpp"
#include "kernel/records/stream_control.hpp"
#include "stream/journal/journal.hpp"
#include "stream/sources/files/followed_file.hpp"

namespace flowtap {

struct FollowedBefore {
  flow::StreamNo stream = 0;
  std::uint64_t inode = 0;
  std::uint64_t passed = 0;  ///< bytes in the journal
  FileNotes notes;
  /// The place in the file at which the journal ends.
  [[nodiscard]] std::uint64_t position() const {
    return static_cast<std::uint64_t>(notes.place.base + static_cast<std::int64_t>(passed));
  }
};

/// Absent: the stream is no followed file.
[[nodiscard]] std::optional<FollowedBefore> followed_before(const flow::StreamView& stream);
/// The latest stream of this very file.
[[nodiscard]] std::optional<FollowedBefore> followed_before(const flow::Journal& journal,
                                                            const std::string& flow,
                                                            const kernel::OpenFile& file, std::int64_t born);
/// The files of a flow that are still tapped, in the order in which they were begun.
[[nodiscard]] std::vector<FollowedBefore> still_tapped(const flow::Journal& journal, const std::string& flow,
                                                       const std::vector<flow::StreamSlot>& slots);

[[nodiscard]] bool is_known(const flow::Journal& journal, const std::string& flow);

/// The names in a directory now.
[[nodiscard]] std::unordered_map<std::uint64_t, std::string> names_by_inode(PathWalk& walk,
                                                                            const std::string& directory);

}  // namespace flowtap
