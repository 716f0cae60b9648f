// Small pieces for reading and writing JSON with Boost.JSON, without its exceptions.
#pragma once

#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/printable.hpp"
#include "base/result.hpp"

namespace flowtap {

/// The same characters, as Boost.JSON's own kind of view.
inline boost::json::string_view json_view(std::string_view text) {
  return {text.data(), text.size()};
}

/// JSON has no infinity and no NaN; such a value is absent.
inline boost::json::value number(double value) {
  return std::isfinite(value) ? boost::json::value(value) : boost::json::value(nullptr);
}

template <typename T>
boost::json::value optional_number(const std::optional<T>& value) {
  return value ? boost::json::value(*value) : boost::json::value(nullptr);
}

/// Parses one object; anything else is an error that begins with `name`.
inline Result<boost::json::object> parse_object(std::string_view text, std::string_view name) {
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(json_view(text), error);
  if (error || !value.is_object())
    return fail(std::string(name) + " is not a JSON object", "is the other side of the socket a flowtapd?");
  return std::move(value.as_object());
}

// Members of an object; absent if there is no member of this name and type.

inline const boost::json::value* member(const boost::json::object& object, std::string_view name) {
  return object.if_contains(json_view(name));
}

inline std::string text_member(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string(text->data(), text->size()) : std::string{};
}

inline bool bool_member(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

inline std::optional<std::uint64_t> count_member(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::json::error_code error;
  const auto count = value->to_number<std::uint64_t>(error);
  return error ? std::nullopt : std::optional(count);
}

inline std::optional<double> number_member(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::json::error_code error;
  const auto number = value->to_number<double>(error);
  return error || !std::isfinite(number) ? std::nullopt : std::optional(number);
}

/// Calls `take` with each object in the list `name`.
template <typename Take>
void each_object(const boost::json::object& object, std::string_view name, Take take) {
  const auto* value = member(object, name);
  const auto* list = value != nullptr ? value->if_array() : nullptr;
  if (list == nullptr) return;
  for (const auto& item : *list)
    if (const auto* entry = item.if_object()) take(*entry);
}

}  // namespace flowtap
