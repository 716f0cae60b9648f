// The columns of CSV that say which log a row's line is from, known by the heading: the pod, the container, the log stream.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/flowtap/saved/unwrap/objects/source_name.hpp"

namespace flowtap::cli {

class CsvColumns {
 public:
  /// A line without a record may be a heading.
  void note(std::string_view line);
  /// What the row says in those columns that end in its first line: a field may have several.
  [[nodiscard]] SourceName of_row(std::string_view line) const;
  [[nodiscard]] bool empty() const { return names_.empty(); }

 private:
  std::vector<std::string> names_;  // of all columns; empty: none of them names a log
};

}  // namespace flowtap::cli
