#include "api/routes/target.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/percent.hpp"
#include "base/printable.hpp"

namespace flowtap::api {
namespace {

/// The value of a hexadecimal digit, or -1.
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      return fail(in_quotes(text.substr(i, 3)) + " is not a percent-encoded byte",
                  "write a % itself as %25, and a / inside of a flow id as %2F");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  return percent_encoded(text, "-._~");  // RFC 3986, section 2.3
}

Result<Parameters> Parameters::parse(std::string_view query, const std::vector<std::string_view>& flags) {
  Parameters parameters;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view one = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (one.empty()) continue;
    const auto equals = std::min(one.find('='), one.size());
    FTAP_TRY_ASSIGN(name, percent_decode(one.substr(0, equals)));
    if (equals == one.size() && std::ranges::find(flags, name) == flags.end())
      return fail("the parameter " + in_quotes(one) + " has no value", "write NAME=VALUE");
    FTAP_TRY_ASSIGN(value, percent_decode(one.substr(std::min(equals + 1, one.size()))));
    if (std::ranges::find(parameters.all_, name, &std::pair<std::string, std::string>::first) !=
        parameters.all_.end())
      return fail("the parameter " + in_quotes(name) + " is given twice", "give it once");
    parameters.all_.emplace_back(std::move(name), std::move(value));
  }
  return parameters;
}

const std::string* Parameters::find(std::string_view name) const {
  for (const auto& [given, value] : all_)
    if (given == name && !value.empty()) return &value;
  return nullptr;
}

bool Parameters::flag(std::string_view name) const {
  const auto given = std::ranges::find(all_, name, &std::pair<std::string, std::string>::first);
  if (given == all_.end() || given->second == "0") return false;
  return !std::ranges::equal(given->second, std::string_view("false"),
                             [](char a, char b) { return to_lower(a) == b; });
}

}  // namespace flowtap::api
