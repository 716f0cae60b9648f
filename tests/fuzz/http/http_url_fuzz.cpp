// Any text as the URL of a server and as the lists of the environment: what is accepted cannot end a line of a request.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/outbound/proxy.hpp"
#include "http/outbound/url.hpp"
#include "tests/fuzz/require.hpp"

using namespace flowtap;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.find('\n');
  const std::string rest(text.substr(std::min(line, text.size())));
  const auto url = http::parse_url(text.substr(0, line));
  if (!url) {
    require(!url.error().what.empty());
    return 0;
  }
  for (const std::string& part : {url->user, url->host, url->prefix, url->port})
    require(std::ranges::none_of(part, [](char c) { return c <= ' ' || c == 0x7F; }));
  const auto again = http::parse_url((url->tls ? "https://" : "http://") + url->authority() + url->prefix);
  require(again && again->host == url->host && again->port == url->port && again->prefix == url->prefix);
  (void)http::proxy_for({.for_https = rest, .for_http = rest, .except = ""}, *url);
  (void)http::proxy_for({.for_https = "http://p", .for_http = "http://p", .except = rest}, *url);
  return 0;
}
