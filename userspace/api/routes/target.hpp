// The parts of a request's target: what stands percent-encoded in it, decoded once and strictly.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace flowtap::api {

/// Each %XX as its byte; an Error for a % without two hexadecimal digits behind it. A + stays a +.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

/// `text` for one segment of a path or one value of a query: all but letters, digits and -._~ as %XX.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// The query of a target. A parameter whose value is empty is as if it had not been given, unless it is a flag.
class Parameters {
 public:
  /// An Error for an escape that is none, a name without = that is none of `flags`, and a name that is given twice.
  static Result<Parameters> parse(std::string_view query, const std::vector<std::string_view>& flags = {});

  /// Null where it was not given.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  /// A flag's, by the rule of Kubernetes' API (apimachinery, Convert_Slice_string_To_bool): what is given is true, also
  /// without a value, but for 0 and false.
  [[nodiscard]] bool flag(std::string_view name) const;

  /// The first name that is none of `known`, or null.
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
