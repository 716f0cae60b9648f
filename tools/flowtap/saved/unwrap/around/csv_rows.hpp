// Rows of CSV in which only those fields have quotes that need some. A record in a field without quotes is of the same log as those in
// quotes, and so are the rows that its further lines were given.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "row_ids.hpp"

namespace flowtap::cli {

/// What it knows is learnt from rows whose record stands in doubled quotes, which no other form has.
class CsvRows {
 public:
  /// Learns from a line in which a record stands at `at`, with its quotes doubled.
  void note_row(std::string_view line, std::size_t at);
  /// Learns from a line what stands before the record at `at`, in whatever quotes.
  void note_record(std::string_view line, std::size_t at);
  /// Learns from a line without a record, if it is a row that has a further line of a value.
  void note_rest(std::string_view line);
  /// Learns from a line without a record, if it is a heading.
  void note_heading(std::string_view line);
  /// The row with the same id as any other one, so that it has the same source. It is put into `buffer` if it differs.
  [[nodiscard]] std::string_view without_ids(std::string_view line, std::string& buffer) const;
  /// The line is klog's own, with quotes that are not doubled: the file is none of CSV.
  void note_plain(std::string_view line);
  /// The row with quotes around the field that may have a record, if a scheduler's line stands there without any; any other line as
  /// it is. It is put into `buffer` if it differs.
  [[nodiscard]] std::string_view quoted(std::string_view line, std::string& buffer);
  /// The lines come anew from the first one on.
  void begin_again() { open_ = false; }
  /// Whether the text that begins at `at` is that field, in quotes. It may go on in the next line.
  [[nodiscard]] bool is_field(std::string_view line, std::size_t at) const;

 private:
  [[nodiscard]] bool knows() const { return columns_ > 0 && !plain_; }
  [[nodiscard]] bool is_row(std::string_view line) const;
  [[nodiscard]] bool is_amid_field(std::string_view line);
  [[nodiscard]] bool is_of_the_log(std::string_view line, std::size_t field) const;
  [[nodiscard]] bool has_field(std::string_view line, std::size_t at) const;
  void note_before(std::string_view before);

  RowIds ids_;
  char between_ = ',';
  bool knows_field_ = false;
  std::size_t column_ = 0;            // of the record, from 0
  std::size_t columns_ = 0;           // of a row; 0: not known, since each one goes on in the next line
  std::vector<std::string> befores_;  // what stands before the records, one of each source
  bool plain_ = false;
  bool open_ = false;  // the line before ended amid a field
};

}  // namespace flowtap::cli
