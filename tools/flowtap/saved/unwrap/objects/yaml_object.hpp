// Reads what the API server's objects are in YAML, as kubectl prints them: maps, one in another, and strings in any style. Lists and
// numbers are of no use here, and are left out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json/members.hpp"

namespace flowtap::cli {

/// How far a line is indented; nothing: it has no text.
[[nodiscard]] std::optional<std::size_t> indent_of(std::string_view line);

/// Whether a line says a key of a map.
[[nodiscard]] bool is_yaml_key(std::string_view line);

/// The object that the lines describe, whose keys are indented as far as the first one. A "- " before that counts as two blanks.
[[nodiscard]] boost::json::object yaml_object(std::span<const std::string> lines);

}  // namespace flowtap::cli
