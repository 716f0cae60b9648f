// A client of Kubernetes' API server. It sends the token of flowtapd's own service account, over TLS, and does not wait
// long.
#pragma once

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/outbound/client.hpp"

namespace flowtap::kube {

struct KubeOptions {
  std::string server = {};  ///< https://HOST:PORT
  std::string ca_file =
      {};  ///< of the authorities that vouch for its certificate; read again when it changes
  std::string token_file = {};           ///< flowtapd's own; read for each request, since kubelet replaces it
  std::chrono::milliseconds time{3000};  ///< for one request
  bool operator==(const KubeOptions&) const = default;
};

/// Used by one thread.
class KubeServer {
 public:
  static constexpr std::size_t kMostAnswer = std::size_t{256} << 10U;

  /// The code of an Error of post() if there was no answer at all.
  static constexpr int kUnreachable = EHOSTUNREACH;

  /// Without a proxy: it is the cluster's own server. An Error: the server is not an https URL.
  [[nodiscard]] static Result<KubeServer> open(KubeOptions options);

  /// The body of the answer to a POST of `body`, which may arrive twice. An Error: the server cannot be reached, its certificate does
  /// not name it, or the status is neither 200 nor 201.
  [[nodiscard]] Result<std::string> post(std::string_view path, const std::string& body);

  /// Ends the request that is being made, and each one after it. Safe from any thread.
  void stop();

 private:
  KubeServer(KubeOptions options, std::unique_ptr<http::ClientLoop> loop, http::HttpClient client);

  KubeOptions options_;
  std::unique_ptr<http::ClientLoop> loop_;
  http::HttpClient client_;
};

/// KubeOptions::server may be this instead of a URL: flowtapd runs in a pod, and asks the API server of its cluster.
inline constexpr std::string_view kOfThisPod = "pod";

/// `options` with the gaps filled: `server` if it is kOfThisPod, and files that are not named, from what every pod is
/// given (kubernetes.io, "Accessing the Kubernetes API from a Pod"). An Error: flowtapd does not run in a pod.
[[nodiscard]] Result<KubeOptions> completed(KubeOptions options);

}  // namespace flowtap::kube
