// Prefixes that may also be sentences (PrefixKind::kDoubted). One that most lines of a file have is a tool's, and so are several that
// most lines have between them, as those of replicas. Before a few lines it is what another program says of a record. It is a field's
// name, too, if the whole file is of rows whose fields stand below each other, and each row has a record in it.
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
  /// Counts a line and the record in it, if it has one.
  void note(std::string_view line, const std::optional<Enclosed>& found);
  /// Whether the lines that were noted have shown that a tool puts this text before a log's lines.
  [[nodiscard]] bool is_trusted(std::string_view prefix) const;
  /// Whether the lines that were noted are nothing but rows of fields below each other, one of which has the records.
  [[nodiscard]] bool is_of_fields() const;

 private:
  struct Prefix {
    std::string source;  // source_of() it
    std::string text;    // the first one
    std::uint64_t records = 0;
    std::uint64_t lines = 0;
  };

  /// The lines since one that stands between rows.
  struct Row {
    std::uint64_t records = 0;
    std::uint64_t fields = 0;  // without a record

    [[nodiscard]] bool has_lines() const { return records + fields > 0; }
    [[nodiscard]] bool is_whole() const { return records == 1 && fields > 0; }
  };

  void note_form(std::string_view line, std::string_view before, bool has_record);

  std::vector<Prefix> prefixes_;
  std::uint64_t lines_ = 0;  // that are not empty
  Row row_;                  // the last one
  std::uint64_t rows_ = 0;   // before it
  bool others_ = false;      // a line is of no such row, or a row has not one record
};

}  // namespace flowtap::cli
