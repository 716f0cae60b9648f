// A saved file as the lines of schedulers, whatever keeps them and stands around them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "stream/repair/runtime_files/saved_log.hpp"
#include "unwrap/unwrapper.hpp"

namespace flowtap::cli {

struct SavedFileRead {
  flow::SavedLog log;
  std::uint64_t left_out = 0;    ///< lines that were too many to be turned round
  std::uint64_t late_parts = 0;  ///< parts that stand behind newer ones, too late to be put in order
};

/// Reads `fd` to its end. `take` gets each line, the oldest first, with the output that a runtime's file says it was written to, or
/// "". Errors call the file `name`.
[[nodiscard]] SavedFileRead read_saved_file(
    int fd, const std::string& name,
    const std::function<void(std::string_view output, const SavedLine& line)>& take);

}  // namespace flowtap::cli
