// Which records are quotations, by what all lines of a file have shown.
//
// Prefixes may also be sentences (PrefixKind::kDoubted). One that most lines of a file have is a tool's, and so are several that most
// lines have between them, as those of replicas. Before a few lines it is what another program says of a record.
//
// Where records begin their lines, no tool has put anything before them. What stands behind a word between two such records is a
// text that a program has printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "enclosed_record.hpp"

namespace flowtap::cli {

class DoubtedPrefixes {
 public:
  /// What a record is in its line.
  enum class Extent : std::uint8_t {
    kAll,     ///< the line is the record
    kPart,    ///< it stands behind something
    kMembers  ///< it is made of an object's members
  };

  /// Counts a line and the record in it, if it has one.
  void note(std::string_view line, const std::optional<Enclosed>& found, Extent extent);
  /// Whether the lines that were noted have shown that a tool puts this text before a log's lines.
  [[nodiscard]] bool is_trusted(std::string_view prefix) const;
  /// Whether the lines that were noted are the scheduler's own, so that what is a record only so, and behind this text, is a
  /// quotation.
  [[nodiscard]] bool is_foreign(std::string_view prefix, Extent extent) const;

 private:
  struct Prefix {
    std::string source;  // source_of() it
    std::string text;    // the first one
    std::uint64_t records = 0;
    std::uint64_t lines = 0;
  };

  /// Where records stand in their lines. A file may also be two logs, one behind the other.
  enum class Place : std::uint8_t {
    kUnknown,    ///< there was none yet
    kElsewhere,  ///< the first one stands behind something
    kOwn,        ///< they are their lines
    kThenOther,  ///< and then some stand behind something
    kAmongOwn    ///< and then come some again that are their lines
  };

  void note_place(std::string_view prefix, Extent extent);

  std::vector<Prefix> prefixes_;
  std::uint64_t lines_ = 0;  // that are not empty
  Place place_ = Place::kUnknown;
};

}  // namespace flowtap::cli
