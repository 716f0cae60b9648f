// The address of a server as people write it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::http {

/// http[s]://[USER[:PASSWORD]@]HOST[:PORT][/PREFIX]
struct Url {
  bool tls = true;
  std::string user = {};    ///< with the password, decoded
  std::string host = {};    ///< a name or an address, without the brackets of IPv6
  std::string port = {};    ///< digits, also where the URL has none
  std::string prefix = {};  ///< of every path; "" or as in "/a/b"

  /// "HOST:PORT", with the brackets of IPv6.
  [[nodiscard]] std::string host_and_port() const;
  /// The same without the scheme's own port: the value of Host.
  [[nodiscard]] std::string authority() const;
  bool operator==(const Url&) const = default;
};

/// An Error: it is another scheme, no host, no port, or has a query.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

}  // namespace flowtap::http
