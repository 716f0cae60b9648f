#include "http/server/tls_keys.hpp"

#include <openssl/ssl.h>

#include "base/printable.hpp"
#include "http/connection/file_versions.hpp"

namespace flowtap::http {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::chrono::seconds kLookPause(1);

}  // namespace

Result<TlsKeys> TlsKeys::load(std::string certificate, std::string key) {
  TlsKeys keys(std::move(certificate), std::move(key));
  keys.seen_ = versions_of({keys.certificate_, keys.key_});
  FTAP_TRY(keys.read());
  return keys;
}

Status TlsKeys::read() {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  (void)context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                                 ssl::context::no_sslv3 | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
                             error);
  // TLS sessions are not kept: no client comes back often enough, and the key for tickets would have to be rotated.
  ::SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  ::SSL_CTX_set_num_tickets(context->native_handle(), 0);
  ::SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  const char* hint = "both are PEM files: api.tls_certificate with its chain, and api.tls_key";
  if (context->use_certificate_chain_file(certificate_, error))
    return fail("cannot use the certificate in " + in_quotes(certificate_) + ": " + error.message(), hint);
  // This also checks that the key belongs to the certificate.
  if (context->use_private_key_file(key_, ssl::context::pem, error))
    return fail("cannot use the key in " + in_quotes(key_) + ": " + error.message(), hint);
  context_ = std::move(context);
  return {};
}

void TlsKeys::look() {
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + kLookPause;
  std::string version = versions_of({certificate_, key_});
  if (version.empty())
    health_ = fail(
        "the certificate in " + in_quotes(certificate_) + " or its key in " + in_quotes(key_) + " is gone",
        "put both back: the next start needs them, and until then the ones that were read are used");
  else if (version == seen_)
    health_ = {};
  else if (health_ = read(); health_)
    seen_ = std::move(version);
}

std::shared_ptr<ssl::context> TlsKeys::context() {
  look();
  return context_;
}

Status TlsKeys::health() {
  look();
  return health_;
}

}  // namespace flowtap::http
