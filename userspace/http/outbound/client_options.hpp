// Which server is asked, and how far it is trusted with time and memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/outbound/proxy.hpp"

namespace flowtap::http {

/// PEM files. They are read again when they change; kept connections end then.
struct TlsFiles {
  std::string ca = {};           ///< of the authorities that vouch for the server; empty: the system's
  std::string certificate = {};  ///< the client's, with its chain; empty: none
  std::string key = {};          ///< of `certificate`
  bool operator==(const TlsFiles&) const = default;
};

/// What errors call the settings of this server, as "api.kubernetes_ca"; empty where there is no such setting.
struct SettingNames {
  std::string ca = {};
  std::string certificate = {};
};

struct ClientLimits {
  std::chrono::milliseconds connect{5'000};  ///< the name, TCP, the proxy and TLS together
  std::chrono::milliseconds whole{30'000};  ///< from the request to the end of the answer, `connect` included
  std::chrono::milliseconds silence{10'000};     ///< while nothing at all is sent or received
  std::size_t headers = std::size_t{64} << 10U;  ///< bytes of an answer's head
  std::size_t body = std::size_t{1} << 20U;      ///< bytes of an answer's body
  std::size_t kept = 2;                          ///< connections that wait for the next request
  std::chrono::milliseconds kept_for{60'000};    ///< unused
  std::chrono::milliseconds lives{
      300'000};  ///< one that is used again and again: a name may get other addresses
};

/// The addresses of a host, such as "10.0.0.1". May take long: it is called in a thread of its own, and that thread may go on after the
/// client has gone.
using Resolve = std::function<Result<std::vector<std::string>>(const std::string& host)>;

/// What getaddrinfo(3) says.
[[nodiscard]] Result<std::vector<std::string>> system_addresses(const std::string& host);

struct ClientOptions {
  std::string url = {};  ///< see Url
  TlsFiles tls = {};
  SettingNames names = {};
  ProxyRules proxy = {};
  ClientLimits limits = {};
  Resolve resolve = system_addresses;
};

}  // namespace flowtap::http
