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
  /// Learns from a line what stands before its record.
  void note(std::string_view before);
  /// The row with the same id as any other one. It is put into `buffer` if it differs. A line that is no such row stays as it is.
  [[nodiscard]] std::string_view without(std::string_view line, std::string& buffer) const;
  /// The same for what stands before a row's record.
  [[nodiscard]] std::string_view without_in_prefix(std::string_view before, std::string& buffer) const;

 private:
  struct Column {
    std::set<std::string, std::less<>> values;
    bool many = false;  // more values than there are logs in a file
    bool names = true;  // each may be the name of a pod or a machine
    bool paths = true;  // each is one
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

  std::vector<Table> tables_;
};

}  // namespace flowtap::cli
