// What a person is told of a text that is no YAML: the place where to look, in words of their own, and what to write.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap {

/// What a parser knows when it gives up. It often does so at the end of the text, far behind the cause.
struct YamlTrouble {
  std::string said;  ///< its own words
  int line = 1;      ///< where it gave up
  /// The list or section in brackets that was open then.
  struct Open {
    char bracket;  ///< [ or {
    int line;
  };
  std::optional<Open> open;
  std::size_t read = 0;  ///< up to where in the text, in bytes, it had understood all
};

/// False: a quotation mark stands at `at`, and no other one ends what it begins.
[[nodiscard]] bool is_closed(std::string_view text, std::size_t at);

/// "NAME:LINE: ...". Lines count from 1.
[[nodiscard]] Error yaml_error(std::string_view text, std::string_view name, const YamlTrouble& trouble);

}  // namespace flowtap
