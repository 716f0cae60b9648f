// Why there is no TLS connection to a server, in words.
#pragma once

#include <openssl/ssl.h>

#include <boost/system/error_code.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "http/outbound/client_options.hpp"

namespace flowtap::http {

/// Watches how one server's certificate is checked.
class CertificateCheck {
 public:
  /// Makes `session` demand a certificate for `host` from an authority that it knows. False: no memory.
  [[nodiscard]] bool demand(SSL* session, const std::string& host, const SettingNames& names);
  /// After the handshake, while `session` lives.
  static void forget(SSL* session);

  /// Why the certificate was refused, if it was.
  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }

 private:
  static int checked(int is_good, X509_STORE_CTX* chain) noexcept;

  std::string host_;
  SettingNames names_;
  std::optional<Error> refusal_;
};

/// What an error of TLS means, if it is one: the server speaks no TLS, refuses the client's certificate, or something else. Servers with
/// TLS 1.3 refuse a certificate only when they are asked something.
[[nodiscard]] std::optional<Error> tls_fault(const boost::system::error_code& error, const TlsFiles& files,
                                             const SettingNames& names);

}  // namespace flowtap::http
