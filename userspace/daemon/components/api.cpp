#include "daemon/components/api.hpp"

#include "daemon/log.hpp"
#include "daemon/self_samples.hpp"
#include "stats/backends/sending/address.hpp"

namespace flowtap {

std::optional<api::TcpOptions> ApiComponent::tcp_options() const {
  const Config::Api& api = shared_.config.api;
  const auto address = stats::parse_listen_address(api.address);
  if (!address) return std::nullopt;
  return api::TcpOptions{.host = address->host,
                         .port = address->port,
                         .token_file = api.token_file,
                         .kube = {.server = api.kubernetes_server,
                                  .ca_file = api.kubernetes_ca,
                                  .token_file = api.kubernetes_token},
                         .tls_certificate = api.tls_certificate,
                         .tls_key = api.tls_key,
                         .rate = api.rate};
}

void ApiComponent::run() {
  const Config& config = shared_.config;
  auto server = api::ApiServer::start({.socket_path = api::socket_path(config.state_dir),
                                       .socket_group = config.api.socket_group,
                                       .max_connections = 64,
                                       .session_time = std::chrono::seconds(30),
                                       .max_followers = config.api.max_followers,
                                       .tcp = tcp_options(),
                                       .counts = counts_},
                                      shared_.node);
  if (!server) return shared_.states.set(kName, std::unexpected(server.error()), {});
  server_.emplace(std::move(*server));
  tell();
}

void ApiComponent::tell() {
  shared_.states.set(kName, {}, api::socket_path(shared_.config.state_dir));
  const auto& tcp = server_->tcp();
  if (!tcp) return;
  const Status health = *tcp ? server_->tcp_health() : std::unexpected(tcp->error());
  // Tells each trouble once, however often it occurs.
  if (*tcp && !health && health.error().what != kube_trouble_) log_error(Error(health.error()).in(kTcpName));
  kube_trouble_ = *tcp && !health ? health.error().what : std::string();
  shared_.states.set(kTcpName, health, *tcp ? **tcp : std::string());
}

void ApiComponent::report(api::StatusReport& /*status*/) {
  if (server_) tell();
}

void ApiComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  append_api_samples(out, *counts_);
}

void ApiComponent::reload(const Config& old) {
  if (shared_.config.api == old.api && server_) return tell();
  server_.reset();
  run();
}

}  // namespace flowtap
