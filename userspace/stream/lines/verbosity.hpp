// The -v that a scheduler's record needs. JSON says it; klog's text does not, so known messages stand in a table
// (verbosity.def) and are told by their text alone: file and line differ between builds of the same program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stream/lines/klog_record.hpp"

namespace flowtap::flow {

/// klog's V; errors, warnings and fatal records have 0.
using Level = std::uint8_t;

/// Of a message that is not in the table, and of lines without a header.
constexpr Level kUnknownLevel = 255;

/// Whether a log at -v=limit has it. What is unknown passes.
[[nodiscard]] constexpr bool is_shown(Level level, Level limit) {
  return level <= limit || level == kUnknownLevel;
}

/// One stream's. Remembers which program's version speaks: some messages changed their V between versions, and others
/// are of one version only. Until one of those has come, the newest version's V counts.
class Verbosity {
 public:
  /// Of a record, or of its first line where that has its message.
  [[nodiscard]] Level of(const KlogRecord& record);
  /// Records whose message is not in the table.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

  enum class Program : std::uint8_t { kKube, kNuma2024, kNuma, kHami2024, kHami };

 private:
  std::optional<Level> of_text(const KlogRecord& record);

  std::optional<Program> program_;
  std::uint64_t unknown_ = 0;
};

}  // namespace flowtap::flow
