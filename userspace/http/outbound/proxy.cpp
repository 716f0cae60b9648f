#include "http/outbound/proxy.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/ascii.hpp"

namespace flowtap::http {
namespace {

std::string variable(const char* small, const char* large) {
  for (const char* name : {small, large}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): proxy.hpp says so
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string small(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), to_lower);
  return all;
}

struct Address {
  std::array<unsigned char, 16> bytes{};
  std::size_t bits = 0;  // 32 or 128
};

std::optional<Address> address(const std::string& text) {
  Address found;
  if (::inet_pton(AF_INET, text.c_str(), found.bytes.data()) == 1)
    found.bits = 32;
  else if (::inet_pton(AF_INET6, text.c_str(), found.bytes.data()) == 1)
    found.bits = 128;
  return found.bits == 0 ? std::nullopt : std::optional(found);
}

bool is_loopback(const std::string& host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const auto found = address(host);
  if (!found) return false;
  return found->bits == 32 ? found->bytes[0] == 127 : host == "::1";
}

bool is_in(const Address& one, const Address& network, std::size_t bits) {
  if (one.bits != network.bits || bits > one.bits) return false;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> (bit % 8));
    if (((one.bytes.at(bit / 8) ^ network.bytes.at(bit / 8)) & mask) != 0) return false;
  }
  return true;
}

/// Whether one item of the list stands for the host.
bool covers(std::string_view item, const std::string& host) {
  if (const auto slash = item.find('/'); slash != std::string_view::npos) {
    std::size_t bits = 0;
    const std::string_view digits = item.substr(slash + 1);
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    const auto network = address(std::string(item.substr(0, slash)));
    const auto one = address(host);
    return error == std::errc() && rest == digits.data() + digits.size() && network && one &&
           is_in(*one, *network, bits);
  }
  if (const auto one = address(host)) {
    const auto other = address(std::string(item));
    return other && is_in(*one, *other, one->bits);
  }
  if (item.ends_with('.')) item.remove_suffix(1);
  if (item.starts_with("*.")) item.remove_prefix(1);
  if (item.starts_with('.')) item.remove_prefix(1);
  if (item.empty()) return false;
  return host == item || (host.ends_with(item) && host[host.size() - item.size() - 1] == '.');
}

bool is_excepted(std::string_view list, const Url& server) {
  const std::string host = small(server.host);
  while (!list.empty()) {
    const auto end = std::min(list.find_first_of(", \t"), list.size());
    std::string item = small(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (item == "*") return true;
    // A colon may also be a part of an IPv6 address.
    if (item.starts_with('[') || std::ranges::count(item, ':') == 1) {
      const auto colon = item.rfind(':');
      const auto bracket = item.find(']');
      if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
        if (item.substr(colon + 1) != server.port) continue;
        item.resize(colon);
      }
      if (item.starts_with('[')) item = item.substr(1, item.find(']') - 1);
    }
    if (covers(item, host)) return true;
  }
  return false;
}

}  // namespace

ProxyRules proxy_of_environment() {
  return {.for_https = variable("https_proxy", "HTTPS_PROXY"),
          .for_http = variable("http_proxy", "HTTP_PROXY"),
          .except = variable("no_proxy", "NO_PROXY")};
}

Result<std::optional<Url>> proxy_for(const ProxyRules& rules, const Url& server) {
  const std::string& proxy = server.tls ? rules.for_https : rules.for_http;
  if (proxy.empty() || is_loopback(small(server.host)) || is_excepted(rules.except, server))
    return std::nullopt;
  const std::string setting = server.tls ? "HTTPS_PROXY" : "HTTP_PROXY";
  // Many write a proxy without its scheme.
  auto url = parse_url(proxy.contains("://") ? proxy : "http://" + proxy);
  if (!url) return std::unexpected(std::move(url).error().in(setting));
  if (url->tls)
    return fail(setting + ": flowtapd cannot ask a proxy over TLS",
                "name it as http://; what goes through it to an https:// server is encrypted all the same");
  return std::move(*url);
}

}  // namespace flowtap::http
