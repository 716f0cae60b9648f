// Columns of a table that have another value in each row, such as a row's id. They tell no log apart from another one, as the name
// of a pod or a machine does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
  /// Learns from a row that has a further line of a value. With its record it may have an id in common. If other rows stand between the
  /// two, that is the id of a container.
  void note_rest(std::string_view line);
  /// Learns from a line without a record which columns are called ids, if it is a heading.
  void note_heading(std::string_view line);
  /// The row with the same id as any other one. It is put into `buffer` if it differs. A line that is no such row stays as it is.
  [[nodiscard]] std::string_view without(std::string_view line, std::string& buffer) const;
  /// The same for what stands before a row's record.
  [[nodiscard]] std::string_view without_in_prefix(std::string_view before, std::string& buffer) const;

 private:
  struct Column {
    std::map<std::string, std::size_t, std::less<>>
        values;          // with the hash of the record; 0: none has come yet
    std::string last;    // of them
    bool again = false;  // two records have the same one
    bool apart =
        false;  // a record and what goes on with it have the same one, and rows with others stand between them
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

    /// `record`: the hash of the record in the row; 0: it has none.
    void note_row(std::string_view line, const std::vector<std::size_t>& fields, std::size_t record);
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

  [[nodiscard]] bool is_seen(std::string_view line);

  std::vector<Table> tables_;
  Heading heading_;
  std::size_t headings_looked_at_ = 0;
  std::set<std::size_t> seen_;  // hashes of lines
};

}  // namespace flowtap::cli
