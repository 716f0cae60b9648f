// Connects to a server: its addresses one after another, through a proxy or not, and with TLS or not.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/connection/closing.hpp"
#include "http/connection/connection.hpp"
#include "http/outbound/client_options.hpp"
#include "http/outbound/client_tls.hpp"
#include "http/outbound/patience.hpp"
#include "http/outbound/resolving.hpp"
#include "http/outbound/url.hpp"

namespace flowtap::http {

/// The way to a server.
struct Route {
  const Url& server;
  const std::optional<Url>& proxy;
  Resolving& resolving;
  const ClientTls& files;
  const ClientLimits& limits;
  Closing& closing;
};

/// A connection that takes requests. `tls` is there if the server has TLS. An Error is a sentence about the server, or about its proxy.
[[nodiscard]] boost::asio::awaitable<Result<std::unique_ptr<Connection>>> connect(
    Route route, std::shared_ptr<TlsContext> tls, Patience patience);

/// The value of Proxy-Authorization for a proxy that has a user in its URL; "" for others.
[[nodiscard]] std::string proxy_authorization(const Url& proxy);

}  // namespace flowtap::http
