// An error as a program tells it on standard error.
#pragma once

#include <string>
#include <string_view>

#include "base/printable.hpp"
#include "base/result.hpp"

namespace flowtap {

/// "PROGRAM: what\nhint: hint\n", made safe for a terminal; without the second line if there is no hint.
[[nodiscard]] inline std::string complaint(std::string_view program, const Error& error) {
  std::string text = std::string(program) + ": " + printable(error.what) + '\n';
  if (!error.hint.empty()) text += "hint: " + printable(error.hint) + '\n';
  return text;
}

}  // namespace flowtap
