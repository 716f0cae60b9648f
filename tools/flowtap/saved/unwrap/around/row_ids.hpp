// Columns of a table that have another value in each row, such as a row's id. They tell no log apart from another one, as the name
// of a pod or a machine does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::cli {

/// It knows the columns that stand before a record. Numbers and times are no ids: they are alike whatever they are (source_of()).
class RowIds {
 public:
  /// Learns from a line what stands before its record, which begins at `at`. A line that was read before, as in an export that is twice in
  /// a file, teaches nothing.
  void note(std::string_view line, std::size_t at);
  /// Learns from a line without a record which columns are called ids, if it is a heading.
  void note_heading(std::string_view line);
  /// The row with the same id as any other one. It is put into `buffer` if it differs. A line that is no such row stays as it is.
  [[nodiscard]] std::string_view without(std::string_view line, std::string& buffer) const;
  /// The same for what stands before a row's record.
  [[nodiscard]] std::string_view without_in_prefix(std::string_view before, std::string& buffer) const;

 private:
  struct Column {
    std::set<std::string, std::less<>> values;
    bool many = false;    // more values than there are logs in a file
    bool called = false;  // the heading calls it an id
    bool names = true;    // each may be the name of a pod or a machine
    bool paths = true;    // each is one
  };
  /// Rows whose record stands behind so many columns.
  struct Table {
    char between = ',';
    std::uint64_t rows = 0;
    std::vector<Column> columns;

    [[nodiscard]] bool is_id(const Column& column) const;
    [[nodiscard]] bool has_ids() const;
    [[nodiscard]] bool has_row(std::string_view line, const std::vector<std::size_t>& fields) const;
    [[nodiscard]] std::string_view without_ids(std::string_view line, const std::vector<std::size_t>& fields,
                                               std::string& buffer) const;
  };

  /// What the heading says.
  struct Heading {
    char between = '\0';
    std::vector<bool> ids;  // by column
  };

  std::vector<Table> tables_;
  Heading heading_;
  std::size_t headings_looked_at_ = 0;
  std::set<std::size_t> seen_;  // hashes of lines
};

}  // namespace flowtap::cli
