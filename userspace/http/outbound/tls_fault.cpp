#include "http/outbound/tls_fault.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cstdio>
#include <exception>
#include <memory>

#include "base/printable.hpp"

namespace flowtap::http {
namespace {

constexpr std::size_t kMostNames = 4;

// OpenSSL's place for what belongs to one session.
int check_index() {
  static const int kIndex = ::SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return kIndex;
}

std::string day(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ::ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown day";
  std::array<char, 32> text{};
  static_cast<void>(std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts));
  return text.data();
}

std::string name_of(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS)
    return printable({reinterpret_cast<const char*>(::ASN1_STRING_get0_data(name.d.dNSName)),
                      static_cast<std::size_t>(::ASN1_STRING_length(name.d.dNSName))});
  if (name.type != GEN_IPADD) return {};
  const unsigned char* bytes = ::ASN1_STRING_get0_data(name.d.iPAddress);
  const int size = ::ASN1_STRING_length(name.d.iPAddress);
  if (size == 4) return boost::asio::ip::address_v4({bytes[0], bytes[1], bytes[2], bytes[3]}).to_string();
  if (size != 16) return {};
  boost::asio::ip::address_v6::bytes_type v6{};
  std::copy_n(bytes, v6.size(), v6.begin());
  return boost::asio::ip::address_v6(v6).to_string();
}

/// Whom a certificate is for, as far as a sentence has room.
std::string names_of(X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&::GENERAL_NAMES_free)> all(
      static_cast<GENERAL_NAMES*>(::X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      &::GENERAL_NAMES_free);
  std::string text;
  std::size_t shown = 0;
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const std::string name = name_of(*sk_GENERAL_NAME_value(all.get(), i));
    if (name.empty()) continue;
    if (shown++ == kMostNames) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name.substr(0, 100);
  }
  if (!text.empty()) return text;
  std::array<char, 128> common{};
  if (::X509_NAME_get_text_by_NID(::X509_get_subject_name(certificate), NID_commonName, common.data(),
                                  common.size()) > 0)
    return printable(common.data());
  return "nobody";
}

std::string ca_hint(const SettingNames& names) {
  return names.ca.empty() ? "the system's list of authorities has to have the one that signed it"
                          : "name the file of the authority that signed it in " + names.ca;
}

Error refusal_of(int code, X509* certificate, int depth, const std::string& host, const SettingNames& names) {
  const std::string its = depth == 0 ? "its certificate" : "the certificate of its authority";
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return {its + " expired on " + day(::X509_get0_notAfter(certificate)),
              "renew it, or set this node's clock if that is wrong", 0};
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return {its + " is valid only from " + day(::X509_get0_notBefore(certificate)) + " on",
              "is this node's clock right?", 0};
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return {"its certificate is for " + names_of(certificate) + " and not for " + host,
              "ask for it by a name that its certificate has", 0};
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return {"its certificate is from an authority that flowtapd does not know", ca_hint(names), 0};
    default:
      return {its + " is refused: " + ::X509_verify_cert_error_string(code), {}, 0};
  }
}

Error certificate_refused(const std::string& why, const TlsFiles& files, const SettingNames& names) {
  const std::string setting =
      names.certificate.empty() ? "a client certificate that it accepts" : names.certificate;
  if (files.certificate.empty())
    return {"it wants a client certificate, and flowtapd has none for it", "name one in " + setting, 0};
  return {"it refuses the client certificate in " + in_quotes(files.certificate) + ": " + why,
          "name one that it accepts in " + setting, 0};
}

}  // namespace

int CertificateCheck::checked(int is_good, X509_STORE_CTX* chain) noexcept {
  const auto* session =
      static_cast<SSL*>(::X509_STORE_CTX_get_ex_data(chain, ::SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* check = static_cast<CertificateCheck*>(::SSL_get_ex_data(session, check_index()));
  if (is_good == 1 || check == nullptr) return is_good;
  try {
    check->refusal_ = refusal_of(::X509_STORE_CTX_get_error(chain), ::X509_STORE_CTX_get_current_cert(chain),
                                 ::X509_STORE_CTX_get_error_depth(chain), check->host_, check->names_);
  } catch (const std::exception&) {  // it is refused all the same
    return 0;
  }
  return 0;
}

bool CertificateCheck::demand(SSL* session, const std::string& host, const SettingNames& names) {
  host_ = host;
  names_ = names;
  if (::SSL_set_ex_data(session, check_index(), this) != 1) return false;
  ::SSL_set_verify(session, SSL_VERIFY_PEER, &CertificateCheck::checked);
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  if (!no_address) return ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session), host.c_str()) == 1;
  // A certificate's common name is no host's name (RFC 9525).
  ::SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return ::SSL_set1_host(session, host.c_str()) == 1 && SSL_set_tlsext_host_name(session, host.c_str()) == 1;
}

void CertificateCheck::forget(SSL* session) {
  ::SSL_set_ex_data(session, check_index(), nullptr);
}

std::optional<Error> tls_fault(const boost::system::error_code& error, const TlsFiles& files,
                               const SettingNames& names) {
  if (error.category() != boost::asio::error::get_ssl_category()) return std::nullopt;
  const auto code = static_cast<unsigned long>(error.value());
  switch (ERR_GET_REASON(code)) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_NO_CERTIFICATE:
      return certificate_refused("it takes it for none", files, names);
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return certificate_refused("it has expired", files, names);
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
      return certificate_refused("it was revoked", files, names);
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return certificate_refused("it is from an authority that the server does not know", files, names);
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
      return certificate_refused("the server does not say why", files, names);
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return Error{"it and flowtapd have no way of TLS in common",
                   "with TLS 1.2 this may also mean that it wants a client certificate", 0};
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
      return Error{"it does not speak TLS", "does its URL begin with http:// or have another port?", 0};
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL:
      return Error{"it speaks only TLS older than 1.2", "let it speak TLS 1.2 or 1.3", 0};
    default:
      return Error{"TLS with it failed: " + printable(error.message()), {}, 0};
  }
}

}  // namespace flowtap::http
