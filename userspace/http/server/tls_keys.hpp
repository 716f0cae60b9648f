// The API's certificate, as long as it is valid and after that the next one.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace flowtap::http {

/// Two PEM files: the certificate with those that vouch for it behind it, and its key. They are read again when they have changed,
/// as cert-manager and certbot do it: connections that are open go on with what they began with. Used by one thread.
class TlsKeys {
 public:
  [[nodiscard]] static Result<TlsKeys> load(std::string certificate, std::string key);

  /// For the next connection. Where what was changed is no pair, as amid its change, the one before.
  [[nodiscard]] std::shared_ptr<boost::asio::ssl::context> context();

 private:
  using Clock = std::chrono::steady_clock;

  TlsKeys(std::string certificate, std::string key)
      : certificate_(std::move(certificate)), key_(std::move(key)) {}
  [[nodiscard]] Status read();
  /// Of both files; another one after any change.
  [[nodiscard]] std::string version() const;

  std::string certificate_;
  std::string key_;
  std::string seen_;
  Clock::time_point next_look_{};
  std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace flowtap::http
