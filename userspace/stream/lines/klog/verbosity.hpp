// The -v that a scheduler's record needs. JSON says it. klog's text does not, so a table has the known messages (verbosity.def).
// Records are told by their text alone, since file and line differ between builds of the same program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow {

/// klog's V; errors, warnings and fatal records have 0.
using Level = std::uint8_t;

/// The level of a message that is not in the table, and of lines without a header.
constexpr Level kUnknownLevel = 255;

/// Whether a log at -v=limit has it. Unknown levels pass.
[[nodiscard]] constexpr bool is_shown(Level level, Level limit) {
  return level <= limit || level == kUnknownLevel;
}

/// Tells the levels of one stream. It remembers which program's version speaks: some messages changed their V between versions,
/// and others are of one version only. Until one of those has come, the newest version's V counts.
class Verbosity {
 public:
  /// The level of a record, or of its first line if that has its message.
  [[nodiscard]] Level of(const KlogRecord& record);
  /// How many records have a message that is not in the table.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

  enum class Program : std::uint8_t { kKube, kNuma2024, kNuma, kHami2024, kHami };

 private:
  std::optional<Level> of_text(const KlogRecord& record);

  std::optional<Program> program_;
  std::uint64_t unknown_ = 0;
};

}  // namespace flowtap::flow
