#include "http/outbound/url.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/ascii.hpp"
#include "base/percent.hpp"
#include "base/printable.hpp"

namespace flowtap::http {
namespace {

constexpr std::string_view kPlainPort = "80";
constexpr std::string_view kTlsPort = "443";

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && rest == text.data() + text.size() && port != 0;
}

bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == ':' || c == '%';
  });
}

// What would end a line or a word of a request's head.
bool is_in_line(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

// percent_decoded() takes capital digits only.
std::optional<std::string> decoded(std::string text) {
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1))
    for (std::size_t i = at + 1; i < std::min(at + 3, text.size()); ++i)
      if (is_lower(text[i])) text[i] = static_cast<char>(text[i] - 'a' + 'A');
  return percent_decoded(text);
}

}  // namespace

std::string Url::host_and_port() const {
  return (host.contains(':') ? '[' + host + ']' : host) + ':' + port;
}

std::string Url::authority() const {
  std::string all = host_and_port();
  if (port == (tls ? kTlsPort : kPlainPort)) all.resize(all.size() - port.size() - 1);
  return all;
}

Result<Url> parse_url(std::string_view text) {
  // A password does not appear in a log.
  const auto begin = text.find("://");
  const auto at_sign = text.rfind('@');
  const auto no = [&](std::string_view why) {
    const std::string shown = at_sign == std::string_view::npos
                                  ? std::string(text)
                                  : "...@" + std::string(text.substr(at_sign + 1));
    return fail(in_quotes(shown) + " is no URL of a server: " + std::string(why),
                "such as https://store.example.org:443");
  };
  Url url;
  const std::string_view scheme = text.substr(0, std::min(begin, text.size()));
  if (begin == std::string_view::npos || (scheme != "https" && scheme != "http"))
    return no("it begins with neither https:// nor http://");
  url.tls = scheme == "https";
  std::string_view rest = text.substr(begin + 3);
  const auto slash = std::min(rest.find('/'), rest.size());
  url.prefix = rest.substr(slash);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  if (!is_in_line(url.prefix) || url.prefix.find_first_of("?#") != std::string::npos)
    return no("it has more than a path after the host");
  rest = rest.substr(0, slash);
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    const auto user = decoded(std::string(rest.substr(0, at)));
    if (!user || !is_in_line(*user)) return no("its user or password has an invalid character");
    url.user = *user;
    rest.remove_prefix(at + 1);
  }
  const bool in_brackets = rest.starts_with('[');
  const auto end = in_brackets ? rest.find(']') : std::min(rest.find(':'), rest.size());
  if (end == std::string_view::npos) return no("its address has no closing bracket");
  url.host = in_brackets ? rest.substr(1, end - 1) : rest.substr(0, end);
  if (!is_host(url.host)) return no("it has no host");
  rest.remove_prefix(in_brackets ? end + 1 : end);
  url.port = url.tls ? kTlsPort : kPlainPort;
  if (rest.starts_with(':') && rest.size() > 1) {
    url.port = rest.substr(1);
  } else if (!rest.empty() && rest != ":") {
    return no("it has no host");
  }
  if (!is_port(url.port)) return no("its port is no number from 1 to 65535");
  return url;
}

}  // namespace flowtap::http
