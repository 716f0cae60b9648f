// Through which proxy a server is asked.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/outbound/url.hpp"

namespace flowtap::http {

/// As the environment has them; see proxy_for().
struct ProxyRules {
  std::string for_https = {};  ///< URL of the proxy for servers with TLS; empty: none
  std::string for_http = {};   ///< the same for servers without
  std::string except = {};     ///< what is asked without a proxy
  bool operator==(const ProxyRules&) const = default;
};

/// HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or their names in small letters, which come first. Not while another thread changes the
/// environment.
[[nodiscard]] ProxyRules proxy_of_environment();

/// The proxy for a server, or none. `except` is a list with commas: a name, which stands for all names below it as well; an address; a
/// network as in 10.0.0.0/8; each of them with :PORT or without; or *, which is every server. A server on this machine's loopback never
/// has a proxy, since the proxy would find another machine there. An Error: the proxy is no URL, or is to be asked over TLS.
[[nodiscard]] Result<std::optional<Url>> proxy_for(const ProxyRules& rules, const Url& server);

}  // namespace flowtap::http
