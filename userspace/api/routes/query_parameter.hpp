// What a parameter of a route is: the route reads it, and the OpenAPI document describes it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace flowtap::api {

enum class ParameterType : std::uint8_t {
  kText,
  kCount,
  kTime,  ///< RFC 3339
  kFlag,  ///< as Parameters::flag() reads it
  kWord,  ///< one of `words`
};

struct QueryParameter {
  std::string_view name;
  std::string_view what;  ///< one sentence
  ParameterType type = ParameterType::kText;
  std::vector<std::string_view> words = {};
};

}  // namespace flowtap::api
