#include "api/server.hpp"

#include <utility>

#include "api/admission.hpp"
#include "api/node_handler.hpp"

namespace flowtap::api {
namespace {

http::TcpOptions door(const TcpOptions& tcp) {
  return {.host = tcp.host,
          .port = tcp.port,
          .open_gate = [tokens = tcp.token_file, kube = tcp.kube] { return Admission::open(tokens, kube); },
          .tls_certificate = tcp.tls_certificate,
          .tls_key = tcp.tls_key,
          .max_connections = tcp.max_connections,
          .rate = tcp.rate,
          .greeting = tcp.greeting,
          .refusal = tcp.refusal};
}

}  // namespace

Result<ApiServer> ApiServer::start(const ServerOptions& options, const NodeView& node) {
  http::ServerOptions serving{.socket_path = options.socket_path,
                              .socket_group = options.socket_group,
                              .max_connections = options.max_connections,
                              .session_time = options.session_time,
                              .max_followers = options.max_followers,
                              .drain = options.drain,
                              .counts = options.counts};
  if (options.tcp) serving.tcp = door(*options.tcp);
  FTAP_TRY_ASSIGN(server, http::Server::start(serving, std::make_unique<NodeHandler>(node)));
  return ApiServer(std::move(server));
}

}  // namespace flowtap::api
