// The parts of a request's target. They are percent-decoded once, and strictly.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace flowtap::api {

/// Decodes each %XX to its byte; an Error for a % without two hexadecimal digits after it. A + stays a +.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

/// `text` for one segment of a path or one value of a query: everything but letters, digits and -._~ becomes %XX.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// The query of a target. A parameter with an empty value counts as not given, unless it is a flag.
class Parameters {
 public:
  /// An Error for a broken escape, for a name without = that is not in `flags`, and for a name that is given twice.
  static Result<Parameters> parse(std::string_view query, const std::vector<std::string_view>& flags = {});

  /// Null if the parameter was not given.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  /// The value of a flag, by the rule of Kubernetes' API (apimachinery, Convert_Slice_string_To_bool): a flag that is
  /// given is true, also without a value, unless its value is 0 or false.
  [[nodiscard]] bool flag(std::string_view name) const;

  /// The first name that is not in `known`, or null.
  template <typename Names>
  [[nodiscard]] const std::string* unknown(const Names& known) const {
    for (const auto& [name, value] : all_) {
      bool found = false;
      for (const std::string_view k : known) found = found || k == name;
      if (!found) return &name;
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

}  // namespace flowtap::api
