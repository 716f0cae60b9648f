// The values at which the counters go on after our restart: one small file in the state directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.hpp"

namespace flowtap::stats {

/// Counter (as the line before its value) → the highest value that may have been sent.
using BaseValues = std::unordered_map<std::string, std::uint64_t>;

/// Hostile bytes are an Error, never a wrong value: the text carries its own length and checksum.
[[nodiscard]] Result<BaseValues> parse_base(std::string_view text);
[[nodiscard]] std::string format_base(const BaseValues& values);

/// A file that does not exist counts as empty: this is the first start.
[[nodiscard]] Result<BaseValues> read_base(const std::string& path);

/// Replaces the file as a whole: whenever flowtapd is killed, the file is the old or the new one. It is not synced to
/// the disk, since the receiver on this node does not survive a power cut either.
[[nodiscard]] Status write_base(const std::string& path, const BaseValues& values);

}  // namespace flowtap::stats
