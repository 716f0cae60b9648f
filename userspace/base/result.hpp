// Errors are values: they say what went wrong, with the context that each caller adds, and give the reader a hint.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace flowtap {

/// What a person is told: one sentence, and the way out if there is one.
struct Error {
  std::string what;  ///< one sentence, without a full stop
  std::string hint;  ///< what to do about it; may be empty
  int code = 0;      ///< errno where the kernel said no, else 0

  /// The same error, with the caller's context before it ("cannot read config: ...").
  [[nodiscard]] Error in(std::string_view context) && {
    what = std::string(context) + ": " + what;
    return std::move(*this);
  }
};

/// The one alias for a value or an Error, so that the type behind it can change in one place.
template <typename T>
using Result = std::expected<T, Error>;

using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> fail(std::string what, std::string hint = {}) {
  return std::unexpected(Error{std::move(what), std::move(hint), 0});
}

/// An Error from errno: "cannot open /x: No such file or directory".
[[nodiscard]] std::unexpected<Error> fail_errno(int err, std::string what, std::string hint = {});

/// Whether it failed because the file system, or what its quota allows, is full.
[[nodiscard]] bool is_full(const Error& error);

/// strerror without its shared buffer.
[[nodiscard]] std::string errno_text(int err);

}  // namespace flowtap

/// Gives up with the error of `expr`, or goes on. (GCC 12 has no monadic std::expected.)
#define FTAP_TRY(expr)                                                                                   \
  do {                                                                                                   \
    if (auto ftap_status = (expr); !ftap_status) return std::unexpected(std::move(ftap_status).error()); \
  } while (false)

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses
/// Declares `var` with the value of `expr`, or gives up with its error.
#define FTAP_TRY_ASSIGN(var, expr)                                                      \
  auto ftap_result_##var = (expr);                                                      \
  if (!ftap_result_##var) return std::unexpected(std::move(ftap_result_##var).error()); \
  auto var = std::move(*ftap_result_##var)
// NOLINTEND(bugprone-macro-parentheses)
