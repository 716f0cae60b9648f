// A page may set names and values side by side:
//   @timestampNov 26, 2026 @ 10:00:00.103messageI1126 10:00:00.103412       1 a.go:9] "no fit" err="x"streamstderr
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

class CloseFields {
 public:
  /// The line without the name that is set right before its record, and the fields that are set right behind that.
  [[nodiscard]] std::string_view undo(std::string_view line);

 private:
  std::string behind_;  // such fields of the last record that ends with a quote
  std::string undone_;
};

}  // namespace flowtap::cli
