// Reading JSON that a runtime wrote, with Boost.JSON and without its exceptions.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/members.hpp"
#include "base/result.hpp"

namespace flowtap::identity {

/// Deeper than any runtime nests (10), and shallow enough for any stack.
inline constexpr std::size_t kJsonDepth = 32;

/// No runtime has a longer name, image or path. A longer one is taken as absent, so that the number of a cache's
/// entries tells its size.
inline constexpr std::size_t kLongestText = 4096;

/// Parses one value; `what` begins the error message.
inline Result<boost::json::value> parse_json(std::string_view text, std::string_view what) {
  boost::json::parse_options options;
  options.max_depth = kJsonDepth;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  if (error) return fail(std::string(what) + " is not JSON that can be read: " + error.message());
  return value;
}

inline Result<boost::json::object> parse_json_object(std::string_view text, std::string_view what) {
  FTAP_TRY_ASSIGN(value, parse_json(text, what));
  if (!value.is_object()) return fail(std::string(what) + " is not a JSON object");
  return std::move(value.as_object());
}

// Members of an object, beside those of base/json/members.hpp; absent if there is none with this name and type.

/// An empty object stands for an absent one.
inline const boost::json::object& object_member(const boost::json::object& object, std::string_view name) {
  static const boost::json::object kNone;
  const auto* value = member(object, name);
  const auto* found = value != nullptr ? value->if_object() : nullptr;
  return found != nullptr ? *found : kNone;
}

/// Also absent if it is empty or longer than kLongestText.
inline std::optional<std::string> text_member(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr || text->empty() || text->size() > kLongestText) return std::nullopt;
  return std::string(text->data(), text->size());
}

/// An object that stands as text inside a string, which is how runtimes keep structures in annotations; empty if it
/// cannot be read.
inline boost::json::object embedded_object(const boost::json::object& object, std::string_view name) {
  const auto* value = member(object, name);
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  if (text == nullptr) return {};
  auto parsed = parse_json_object({text->data(), text->size()}, name);
  return parsed ? std::move(*parsed) : boost::json::object{};
}

}  // namespace flowtap::identity
