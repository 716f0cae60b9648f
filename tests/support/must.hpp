// For what a test cannot go on without.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/result.hpp"

namespace flowtap::test {

/// The value. Throws std::runtime_error if there is an error instead.
template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what + "; " + result.error().hint);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace flowtap::test
