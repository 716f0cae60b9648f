// Tables of text for status and flows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "text.hpp"

namespace flowtap::cli {

/// Rows of cells under headings. Each column is as wide as it must be, and numbers are aligned to the right.
class Table {
 public:
  struct Cell {
    std::string text;
    std::string sgr = {};
    bool right = false;
  };
  using Row = std::vector<Cell>;

  void add(Row row) { rows_.push_back(std::move(row)); }
  /// Dim headings; those from `right_from` up to but not including `right_to` stand over numbers.
  [[nodiscard]] static Row heading(std::initializer_list<const char*> names, std::size_t right_from,
                                   std::size_t right_to);
  /// Lines that end in '\n'.
  [[nodiscard]] std::string text(const Style& style) const;

 private:
  std::vector<Row> rows_;
};

/// `yes` in green, or `no` in red.
[[nodiscard]] Table::Cell state(bool good, const char* yes, const char* no);

/// A grouped number, yellow if it is one that should be 0 and is not.
[[nodiscard]] Table::Cell amount(std::uint64_t number, bool bad_if_any = false);

}  // namespace flowtap::cli
