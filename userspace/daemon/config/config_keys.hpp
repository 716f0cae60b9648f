// The one table of configuration keys: parser, sample, --help and errors all read it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/config/config_values.hpp"

namespace flowtap {

/// A row is a value, or (without a field) a section that holds the following rows whose paths begin with its own.
struct Key {
  std::string_view path;  ///< "prometheus.address"
  std::optional<Field> field;
  std::string_view comment;  ///< one or two sentences, as they stand in the sample
};

/// All rows: first the values of the top level, then section by section, in the order of the sample.
[[nodiscard]] std::span<const Key> config_keys();

/// The row of this path, or nullptr.
[[nodiscard]] const Key* find_config_key(std::string_view path);

/// The path of the known key that somebody who wrote `path` most likely meant; empty if none is near.
[[nodiscard]] std::string_view nearest_config_key(std::string_view path);

/// The last part of a path: "address".
[[nodiscard]] std::string_view leaf_name(std::string_view path);

}  // namespace flowtap
