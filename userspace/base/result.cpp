#include "base/result.hpp"

#include <cerrno>
#include <system_error>

namespace flowtap {

bool is_full(const Error& error) {
  return error.code == ENOSPC || error.code == EDQUOT;
}

std::string errno_text(int err) {
  return std::generic_category().message(err);
}

std::unexpected<Error> fail_errno(int err, std::string what, std::string hint) {
  return std::unexpected(Error{std::move(what) + ": " + errno_text(err), std::move(hint), err});
}

}  // namespace flowtap
