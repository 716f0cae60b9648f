#include "http/outbound/client_tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>

#include <boost/asio/buffer.hpp>
#include <vector>

#include "base/file.hpp"
#include "base/printable.hpp"
#include "http/connection/file_versions.hpp"

namespace flowtap::http {
namespace {

namespace ssl = boost::asio::ssl;

std::string pem_hint(const std::string& setting) {
  return setting.empty() ? "it has to be a PEM file" : setting + " has to name a PEM file";
}

Result<std::string> read_pem(const std::string& path, const std::string& setting) {
  auto text = read_file(path);
  if (text || !text.error().hint.empty()) return text;
  Error error = std::move(text).error();
  error.hint = pem_hint(setting);
  return std::unexpected(std::move(error));
}

// The list in OpenSSL's own order of owners; it is never null.
bool has_authorities(ssl::context& context) {
  return sk_X509_OBJECT_num(::X509_STORE_get0_objects(::SSL_CTX_get_cert_store(context.native_handle()))) > 0;
}

}  // namespace

Result<std::shared_ptr<ssl::context>> ClientTls::context() {
  std::vector<std::string> paths;
  for (const std::string& path : {files_.ca, files_.certificate, files_.key})
    if (!path.empty()) paths.push_back(path);
  std::string version = versions_of(paths);
  if (context_ && version == seen_) return context_;
  context_.reset();
  auto next = std::make_shared<ssl::context>(ssl::context::tls_client);
  FTAP_TRY(read(*next));
  seen_ = std::move(version);
  context_ = std::move(next);
  return context_;
}

Status ClientTls::read(ssl::context& context) const {
  SSL_CTX* raw = context.native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  // An authority in the file is trusted although the one above it is not there.
  ::X509_VERIFY_PARAM_set_flags(::SSL_CTX_get0_param(raw), X509_V_FLAG_PARTIAL_CHAIN);
  boost::system::error_code error;
  if (files_.ca.empty()) {
    if (context.set_default_verify_paths(error))
      return fail("cannot read the system's list of authorities: " + error.message());
  } else {
    FTAP_TRY_ASSIGN(ca, read_pem(files_.ca, names_.ca));
    if (context.add_certificate_authority(boost::asio::buffer(ca), error) || !has_authorities(context))
      return fail("the file of authorities " + in_quotes(files_.ca) + " has no certificate that can be used",
                  pem_hint(names_.ca));
  }
  if (files_.certificate.empty()) return {};
  FTAP_TRY_ASSIGN(certificate, read_pem(files_.certificate, names_.certificate));
  FTAP_TRY_ASSIGN(key, read_pem(files_.key, {}));
  // OpenSSL would ask for a passphrase on the terminal.
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
  if (context.use_certificate_chain(boost::asio::buffer(certificate), error))
    return fail(
        "cannot use the client certificate in " + in_quotes(files_.certificate) + ": " + error.message(),
        pem_hint(names_.certificate));
  if (!context.use_private_key(boost::asio::buffer(key), ssl::context::pem, error)) return {};
  if (ERR_GET_REASON(static_cast<unsigned long>(error.value())) == X509_R_KEY_VALUES_MISMATCH)
    return fail("the key in " + in_quotes(files_.key) + " does not belong to the client certificate in " +
                    in_quotes(files_.certificate) + ": " + error.message(),
                "while both are being replaced, this ends by itself");
  return fail("cannot use the key in " + in_quotes(files_.key) + ": " + error.message(),
              "it has to be a PEM file without a passphrase");
}

}  // namespace flowtap::http
