// Asks the daemon, and turns what goes wrong into a sentence and an exit code.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "exit_code.hpp"

namespace flowtap::cli {

/// An Error with the exit code that it stands for.
struct Failure {
  Error error;
  ExitCode exit = kFailure;
  bool not_yet = false;  ///< 503: the same question may be answered in a moment
};
template <typename T>
using Answer = std::expected<T, Failure>;

/// The body of `target` from the daemon whose state directory this is.
[[nodiscard]] Answer<std::string> ask(const std::string& state_dir, std::string_view target);

/// Writes "flowtap: WHAT" and the hint to standard error.
void complain(const Error& error);

}  // namespace flowtap::cli
