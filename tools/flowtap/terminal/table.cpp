#include "table.hpp"

#include <algorithm>

namespace flowtap::cli {

Table::Row Table::heading(std::initializer_list<const char*> names, std::size_t right_from,
                          std::size_t right_to) {
  Row row;
  for (const char* name : names)
    row.push_back({name, "2", row.size() >= right_from && row.size() < right_to});
  return row;
}

std::string Table::text(const Style& style) const {
  std::vector<std::size_t> widths;
  for (const Row& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
  }
  std::string out;
  for (const Row& row : rows_) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      // The last column is not padded, as nothing follows it.
      const bool last = i + 1 == row.size() && !row[i].right;
      const std::string cell = last ? row[i].text : fit(row[i].text, widths[i], row[i].right);
      line += " " + (row[i].sgr.empty() ? cell : style.paint(row[i].sgr, cell)) + (last ? "" : " ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

Table::Cell state(bool good, const char* yes, const char* no) {
  return good ? Table::Cell{yes, "32"} : Table::Cell{no, "1;31"};
}

Table::Cell amount(std::uint64_t number, bool bad_if_any) {
  return {grouped(number), bad_if_any && number > 0 ? "33" : "", true};
}

}  // namespace flowtap::cli
