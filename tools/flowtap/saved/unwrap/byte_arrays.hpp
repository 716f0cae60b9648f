// journald's JSON has a text with bytes that it takes for unprintable, such as a colour, as an array of numbers.
#pragma once

#include <string>
#include <string_view>

namespace flowtap::cli {

class ByteArrays {
 public:
  /// The line with each array of bytes that has a record as the string of JSON that it stands for; behind such a one also those that
  /// have any text, which may go on with the record. The view lives until the next call.
  [[nodiscard]] std::string_view undo(std::string_view line);

 private:
  [[nodiscard]] bool is_text(std::string_view bytes) const;

  bool any_ = false;  // a record came as an array
  std::string buffer_;
};

}  // namespace flowtap::cli
