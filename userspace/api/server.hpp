// The API on its Unix socket and, if configured, over TCP: joins the routes, the HTTP server and the check of who may
// ask.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "component/views/views.hpp"
#include "http/server/server.hpp"
#include "kube/kube_server.hpp"

namespace flowtap::api {

using ApiCounts = http::ServerCounts;
using http::AnswerCounts;

/// Who may ask over TCP, where every request needs a token.
struct AccessOptions {
  std::string token_file = {};  ///< empty: only Kubernetes says who may ask
  /// Kubernetes is asked about tokens that are not in the file, unless its server is empty.
  kube::KubeOptions kube = {};
};

/// An http::Server that answers with what a node shows, from start() until it is destroyed.
class ApiServer {
 public:
  /// `node` is read from the server's thread and must outlive the server. What `access` says becomes the gate of
  /// options.tcp.
  static Result<ApiServer> start(http::ServerOptions options, const NodeView& node,
                                 const AccessOptions& access = {});

  /// See http::Server::keep_socket().
  [[nodiscard]] Result<bool> keep_socket() { return server_.keep_socket(); }
  /// See http::Server::accepting().
  [[nodiscard]] Status accepting() const { return server_.accepting(); }
  /// See http::Server::tcp().
  [[nodiscard]] const std::optional<Result<std::string>>& tcp() const { return server_.tcp(); }
  /// See http::Server::tcp_health(): Kubernetes, for one, did not answer the last question about a token. May be called from any thread.
  [[nodiscard]] Status tcp_health() const { return server_.tcp_health(); }

 private:
  explicit ApiServer(http::Server server) : server_(std::move(server)) {}

  http::Server server_;
};

}  // namespace flowtap::api
