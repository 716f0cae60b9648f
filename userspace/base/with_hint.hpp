// An error and its hint in one line, where there is no other place for the hint.
#pragma once

#include <string>

#include "base/result.hpp"

namespace flowtap {

/// "cannot watch directories: Too many open files (raise ...)"; the sentence alone where there is no hint.
[[nodiscard]] inline std::string with_hint(const Error& error) {
  return error.hint.empty() ? error.what : error.what + " (" + error.hint + ")";
}

}  // namespace flowtap
