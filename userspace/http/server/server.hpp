// The API on its Unix socket and, where that is asked for, over TCP; with a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/views/views.hpp"
#include "base/result.hpp"
#include "http/limits/answer_counts.hpp"
#include "kube/kube_server.hpp"

namespace flowtap::api {

/// Over TCP every request brings a token; beyond this machine's own addresses it is TLS, too.
struct TcpOptions {
  std::string host = {};  ///< a numeric address
  std::uint16_t port = 0;
  std::string token_file = {};  ///< empty: Kubernetes alone says who may ask
  /// Asked about tokens that are not in the file; an empty server: nobody is.
  KubeOptions kube = {};
  std::string tls_certificate = {};  ///< empty: no TLS
  std::string tls_key = {};
  std::size_t max_connections =
      64;  ///< of which one sender has half, and a quarter, or 4, for those that have shown no token
  std::uint64_t rate = 0;  ///< requests a second of one sender, as RateLimit counts them; 0: without a limit
  std::chrono::milliseconds greeting{5'000};  ///< SessionLimits::greeting
  std::chrono::milliseconds refusal{500};     ///< SessionLimits::refusal
};

struct ServerOptions {
  std::string socket_path;           ///< in a directory that exists
  std::string socket_group;          ///< whose members may connect, besides root; empty: none
  std::size_t max_connections = 64;  ///< at a time; those that follow a stream are not counted here
  std::chrono::milliseconds session_time{30'000};  ///< SessionLimits::time
  /// Connections that follow a stream, besides: each takes two descriptors, up to 64 KiB of memory and 64 KiB of the
  /// kernel's.
  std::size_t max_followers = 256;
  std::chrono::milliseconds drain{1'000};  ///< at the end, for the answers that are being written
  std::optional<TcpOptions> tcp = {};      ///< absent: the Unix socket alone
  /// Where answers are counted on; null: nobody looks.
  std::shared_ptr<ApiCounts> counts = nullptr;
};

/// Serves from start() until it is destroyed: then nobody is let in any more, connections without a request end at once, what is
/// followed ends where it stands, other answers have ServerOptions::drain to be completed, and the rest is cut off.
class ApiServer {
 public:
  /// `node` is read from the server's thread and must outlive the server.
  static Result<ApiServer> start(const ServerOptions& options, const NodeView& node);

  /// Where TCP is listened on: absent where it was not asked for, an Error where it could not be.
  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const;
  /// An Error where Kubernetes, which is asked about tokens, did not answer the last time. From any thread.
  [[nodiscard]] Status tcp_health() const;

  ApiServer(ApiServer&&) noexcept;
  ApiServer& operator=(ApiServer&&) = delete;
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;
  ~ApiServer();

 private:
  class Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flowtap::api
