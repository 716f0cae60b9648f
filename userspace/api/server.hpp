// The API on its Unix socket and, if configured, over TCP: joins the routes, the HTTP server and the check of who may
// ask.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "component/views/views.hpp"
#include "http/server/server.hpp"
#include "kube/kube_server.hpp"

namespace flowtap::api {

using ApiCounts = http::ServerCounts;
using http::AnswerCounts;

/// Over TCP every request needs a token, and addresses beyond this machine need TLS as well. http::TcpOptions explains
/// the other members.
struct TcpOptions {
  std::string host = {};
  std::uint16_t port = 0;
  std::string token_file = {};  ///< empty: only Kubernetes says who may ask
  /// Kubernetes is asked about tokens that are not in the file, unless its server is empty.
  kube::KubeOptions kube = {};
  std::string tls_certificate = {};
  std::string tls_key = {};
  std::size_t max_connections = 64;
  std::uint64_t rate = 0;
  std::chrono::milliseconds greeting{5'000};
  std::chrono::milliseconds refusal{500};
};

/// See http::ServerOptions.
struct ServerOptions {
  std::string socket_path;
  std::string socket_group;
  std::size_t max_connections = 64;
  std::chrono::milliseconds session_time{30'000};
  std::size_t max_followers = 256;
  std::chrono::milliseconds drain{1'000};
  std::optional<TcpOptions> tcp = {};
  std::shared_ptr<ApiCounts> counts = nullptr;
};

/// An http::Server that answers with what a node shows, from start() until it is destroyed.
class ApiServer {
 public:
  /// `node` is read from the server's thread and must outlive the server.
  static Result<ApiServer> start(const ServerOptions& options, const NodeView& node);

  /// See http::Server::tcp().
  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const { return server_.tcp(); }
  /// An Error if Kubernetes did not answer the last question about a token. May be called from any thread.
  [[nodiscard]] Status tcp_health() const { return server_.tcp_health(); }

 private:
  explicit ApiServer(http::Server server) : server_(std::move(server)) {}

  http::Server server_;
};

}  // namespace flowtap::api
