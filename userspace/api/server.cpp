#include "api/server.hpp"

#include <utility>

#include "api/admission.hpp"
#include "api/node_handler.hpp"

namespace flowtap::api {

Result<ApiServer> ApiServer::start(http::ServerOptions options, const NodeView& node,
                                   const AccessOptions& access) {
  if (options.tcp)
    options.tcp->open_gate = [access] { return Admission::open(access.token_file, access.kube); };
  FTAP_TRY_ASSIGN(server, http::Server::start(options, std::make_unique<NodeHandler>(node)));
  return ApiServer(std::move(server));
}

}  // namespace flowtap::api
