// A symbolic link that stands where flowtapd wants something of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap {

/// Which links are followed at the place itself.
enum class Links : std::uint8_t {
  kNone,             ///< whoever can make one there could choose where flowtapd writes, or mounts
  kThatLeadToThings  ///< as an administrator makes them
};

/// What to tell if `what` ("cannot make the directory /x") failed because of a symbolic link at the absolute `path`, or of one on
/// the way there that leads to nothing. Nothing: none is in the way. `other` is what else can be done: "name another one in
/// state_dir".
[[nodiscard]] std::optional<Error> link_in_the_way(std::string_view what, const std::string& path,
                                                   Links followed, std::string_view other = {});

}  // namespace flowtap
