// What a client brings to a TLS connection: the authorities that it trusts, and its own certificate.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "http/outbound/client_options.hpp"

namespace flowtap::http {

/// Used by one thread.
class ClientTls {
 public:
  explicit ClientTls(TlsFiles files, SettingNames names)
      : files_(std::move(files)), names_(std::move(names)) {}

  /// For the next connection. It is another one when the files have changed. An Error: a file cannot be read or used; what was read before
  /// is not used any more, since somebody may have withdrawn it.
  [[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> context();

  [[nodiscard]] const TlsFiles& files() const { return files_; }
  [[nodiscard]] const SettingNames& names() const { return names_; }

 private:
  [[nodiscard]] Status read(boost::asio::ssl::context& context) const;

  TlsFiles files_;
  SettingNames names_;
  std::string seen_;
  std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace flowtap::http
