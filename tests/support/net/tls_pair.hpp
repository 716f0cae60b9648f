// A self-signed certificate and its key as PEM files.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace flowtap::test {

/// The certificate is for `name` and valid for a day. Throws std::runtime_error.
inline void write_tls_pair(const std::string& certificate, const std::string& key, const std::string& name) {
  const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> pair(EVP_EC_gen("P-256"), &::EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&::X509_free)> cert(::X509_new(), &::X509_free);
  if (!pair || !cert) throw std::runtime_error("no key");
  ::ASN1_INTEGER_set(::X509_get_serialNumber(cert.get()), 1);
  ::X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
  ::X509_gmtime_adj(X509_getm_notAfter(cert.get()), 86'400);
  ::X509_set_pubkey(cert.get(), pair.get());
  X509_NAME* subject = ::X509_get_subject_name(cert.get());
  ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  ::X509_set_issuer_name(cert.get(), subject);
  if (::X509_sign(cert.get(), pair.get(), ::EVP_sha256()) == 0) throw std::runtime_error("not signed");
  const auto write = [](const std::string& path, const auto& put) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"), &std::fclose);
    if (!file || put(file.get()) != 1) throw std::runtime_error("cannot write " + path);
  };
  write(certificate, [&](std::FILE* file) { return ::PEM_write_X509(file, cert.get()); });
  write(key, [&](std::FILE* file) {
    return ::PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace flowtap::test
