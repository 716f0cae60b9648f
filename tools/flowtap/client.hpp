// Asks the daemon, and turns failures into a sentence and an exit code.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "exit_code.hpp"
#include "http/client/client.hpp"

namespace flowtap::cli {

/// An Error and the exit code that it means.
struct Failure {
  Error error;
  ExitCode exit = kFailure;
  bool not_yet = false;  ///< 503: the same question may be answered in a moment
  bool told = false;     ///< the user has been told already
};
template <typename T>
using Answer = std::expected<T, Failure>;

/// The failure to reach the daemon that listens on `socket`. `root`: where the node's file system is seen, with its /proc.
[[nodiscard]] Failure failure_of(const Error& error, const std::string& socket,
                                 const std::string& root = "/");

/// The failure if the daemon refuses.
[[nodiscard]] Failure failure_of(const http::Reply& reply);

/// The body of `target`, from the daemon with this state directory.
[[nodiscard]] Answer<std::string> ask(const std::string& state_dir, std::string_view target);

/// Asks for `target`, and prints the body as it is (`json`) or `text_of` it, which is an Error where the body is not what it should be.
[[nodiscard]] ExitCode show(const std::string& state_dir, std::string_view target, bool json,
                            const std::function<Result<std::string>(std::string_view body)>& text_of);

/// Writes "flowtap: WHAT" and the hint to standard error.
void complain(const Error& error);

}  // namespace flowtap::cli
