// What the API is told to do.
#pragma once

#include <cstdint>
#include <string>

#include "kube/kube_server.hpp"

namespace flowtap {

/// Plain values. The configuration's row api.NAME says what each one means and accepts.
struct ApiOptions {
  std::string socket_group;
  std::uint64_t max_followers = 1024;
  std::string address;  ///< empty: no TCP
  std::string token_file;
  std::string tls_certificate;
  std::string tls_key;
  kube::KubeOptions kube;  ///< an empty server: it is not asked
  std::uint64_t rate = 100;
  bool operator==(const ApiOptions&) const = default;
};

}  // namespace flowtap
