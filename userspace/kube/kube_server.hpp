// Kubernetes' API server as this service asks it: with the token of its own service account, over TLS, and not for long.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace flowtap::kube {

struct KubeOptions {
  std::string server = {};      ///< https://HOST:PORT
  std::string ca_file = {};     ///< of those who vouch for its certificate; read with each connection
  std::string token_file = {};  ///< this service's own; read with each request, since kubelet replaces it
  std::chrono::milliseconds time{3000};  ///< for one request
};

/// Used by one thread.
class KubeServer {
 public:
  static constexpr std::size_t kMostAnswer = std::size_t{256} << 10U;

  /// The code of an Error of post(): it did not come to an answer, of whatever was asked.
  static constexpr int kUnreachable = EHOSTUNREACH;

  /// An Error: no https URL.
  [[nodiscard]] static Result<KubeServer> open(KubeOptions options);

  /// The body of its answer to a POST of `body`. An Error: it cannot be reached, is not who its certificate should name, or
  /// says anything but 200 and 201.
  [[nodiscard]] Result<std::string> post(std::string_view path, const std::string& body);

  /// Set from any thread, it ends a request that is being made, and each one after it.
  [[nodiscard]] const std::shared_ptr<std::atomic<bool>>& stop() const { return stop_; }

  KubeServer(KubeServer&&) noexcept;
  KubeServer& operator=(KubeServer&&) = delete;
  KubeServer(const KubeServer&) = delete;
  KubeServer& operator=(const KubeServer&) = delete;
  ~KubeServer();

 private:
  struct Handle;
  explicit KubeServer(KubeOptions options);

  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  KubeOptions options_;
  std::unique_ptr<Handle> handle_;
};

/// What KubeOptions::server may be instead of an URL: this is a pod, and it is the API server of its cluster.
inline constexpr std::string_view kOfThisPod = "pod";

/// `options` with what they leave open: `server` where it is kOfThisPod, and files that are not named, by what a pod is given
/// (kubernetes.io, "Accessing the Kubernetes API from a Pod"). An Error: this is no pod.
[[nodiscard]] Result<KubeOptions> completed(KubeOptions options);

}  // namespace flowtap::kube
