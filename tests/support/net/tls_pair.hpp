// Certificates and their keys as PEM files: of an authority, and of those for whom it vouches.
#pragma once

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace flowtap::test {

/// A certificate and its key. All functions throw std::runtime_error.
class TlsPair {
 public:
  struct Kind {
    std::string name = "127.0.0.1";  ///< a host's name or an address
    std::chrono::seconds from{-60};  ///< relative to now
    std::chrono::seconds to{86'400};
    bool is_authority = false;
  };

  /// Signed by `issuer`, or by itself.
  explicit TlsPair(const Kind& kind, const TlsPair* issuer = nullptr) {
    if (!key_ || !certificate_) throw std::runtime_error("no key");
    X509* cert = certificate_.get();
    static long serial = 0;
    ::X509_set_version(cert, 2);  // that is, 3
    ::ASN1_INTEGER_set(::X509_get_serialNumber(cert), ++serial);
    ::X509_gmtime_adj(X509_getm_notBefore(cert), kind.from.count());
    ::X509_gmtime_adj(X509_getm_notAfter(cert), kind.to.count());
    ::X509_set_pubkey(cert, key_.get());
    X509_NAME* subject = ::X509_get_subject_name(cert);
    ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>(kind.name.c_str()), -1, -1, 0);
    const TlsPair& by = issuer != nullptr ? *issuer : *this;
    ::X509_set_issuer_name(cert, ::X509_get_subject_name(by.certificate_.get()));
    std::array<unsigned char, 16> bytes{};
    const bool is_address = ::inet_pton(AF_INET, kind.name.c_str(), bytes.data()) == 1;
    if (kind.is_authority)
      extend(NID_basic_constraints, "critical,CA:TRUE");
    else
      extend(NID_subject_alt_name, (is_address ? "IP:" : "DNS:") + kind.name);
    if (::X509_sign(cert, by.key_.get(), ::EVP_sha256()) == 0) throw std::runtime_error("not signed");
  }

  void write(const std::string& certificate, const std::string& key) const {
    put(certificate, [&](std::FILE* file) { return ::PEM_write_X509(file, certificate_.get()); });
    put(key, [&](std::FILE* file) {
      return ::PEM_write_PrivateKey(file, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }

 private:
  void extend(int kind, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, decltype(&::X509_EXTENSION_free)> extension(
        ::X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()), &::X509_EXTENSION_free);
    if (!extension || ::X509_add_ext(certificate_.get(), extension.get(), -1) != 1)
      throw std::runtime_error("no extension " + value);
  }
  template <typename Write>
  static void put(const std::string& path, const Write& write) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"), &std::fclose);
    if (!file || write(file.get()) != 1) throw std::runtime_error("cannot write " + path);
  }

  std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> key_{EVP_EC_gen("P-256"), &::EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&::X509_free)> certificate_{::X509_new(), &::X509_free};
};

/// A self-signed certificate for `name`, valid for a day.
inline void write_tls_pair(const std::string& certificate, const std::string& key, const std::string& name) {
  TlsPair({.name = name}).write(certificate, key);
}

}  // namespace flowtap::test
