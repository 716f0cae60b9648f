// Asks the daemon, and turns what goes wrong into a sentence and an exit code.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "exit_code.hpp"
#include "http/client/client.hpp"

namespace flowtap::cli {

/// An Error with the exit code that it stands for.
struct Failure {
  Error error;
  ExitCode exit = kFailure;
  bool not_yet = false;  ///< 503: the same question may be answered in a moment
  bool told = false;     ///< the person knows it already
};
template <typename T>
using Answer = std::expected<T, Failure>;

/// What went wrong on the way to the daemon that listens on `socket`.
[[nodiscard]] Failure failure_of(const Error& error, const std::string& socket);

/// What the daemon refused.
[[nodiscard]] Failure failure_of(const http::Reply& reply);

/// The body of `target` from the daemon whose state directory this is.
[[nodiscard]] Answer<std::string> ask(const std::string& state_dir, std::string_view target);

/// Writes "flowtap: WHAT" and the hint to standard error.
void complain(const Error& error);

}  // namespace flowtap::cli
