// The API's certificate. It is replaced by the next one when its file changes.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace flowtap::http {

/// Two PEM files: the certificate followed by its chain, and its key. They are read again when they have changed, since
/// cert-manager and certbot replace them. Open connections keep the certificate with which they began. Used by one
/// thread at a time.
class TlsKeys {
 public:
  [[nodiscard]] static Result<TlsKeys> load(std::string certificate, std::string key);

  /// The context for the next connection. While the files do not match, as in the middle of a change, it is the
  /// previous one.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> context();

  /// Looks at the files. An Error: they are gone, or no certificate and its key any more, so that the next start cannot use them.
  [[nodiscard]] Status health();

 private:
  using Clock = std::chrono::steady_clock;

  TlsKeys(std::string certificate, std::string key)
      : certificate_(std::move(certificate)), key_(std::move(key)) {}
  [[nodiscard]] Status read();
  void look();

  std::string certificate_;
  std::string key_;
  std::string seen_;
  Status health_;
  Clock::time_point next_look_{};
  std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace flowtap::http
