// YAML text → a small tree with line numbers. The only file that knows the YAML library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flowtap {

struct YamlEntry;

/// One value of the document. Configuration needs no anchors, aliases or tags, so there are none here.
struct YamlNode {
  enum class Type { kNothing, kScalar, kMap, kList };

  Type type = Type::kNothing;
  int line = 1;                ///< from 1; a map entry's line is that of its key
  std::string scalar;          ///< for kScalar
  std::vector<YamlEntry> map;  ///< in the order of the text; keys are unique
  std::vector<YamlNode> list;
};

/// One "key: value" of a map.
struct YamlEntry {
  std::string key;
  YamlNode value;
};

struct YamlLimits {
  std::size_t bytes = std::size_t{1} << 20U;
  std::size_t depth = 16;
  std::size_t nodes = 10'000;
};

/// Reads one document; an empty text is kNothing. Errors begin with "NAME:LINE: ". It also refuses texts beyond the
/// limits, a second document, a key that is given twice, anchors and aliases (small texts that grow without bound), and
/// tags.
[[nodiscard]] Result<YamlNode> read_yaml(std::string_view text, std::string_view name,
                                         const YamlLimits& limits = {});

}  // namespace flowtap
