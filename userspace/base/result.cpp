#include "base/result.hpp"

#include <system_error>

namespace flowtap {

std::string errno_text(int err) {
  return std::generic_category().message(err);
}

std::unexpected<Error> fail_errno(int err, std::string what, std::string hint) {
  return std::unexpected(Error{std::move(what) + ": " + errno_text(err), std::move(hint), err});
}

}  // namespace flowtap
