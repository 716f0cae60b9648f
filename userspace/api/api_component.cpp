#include "api/api_component.hpp"

#include "api/socket_path.hpp"
#include "component/log_error.hpp"
#include "stats/backends/sending/address.hpp"

namespace flowtap {
namespace {

// How requests over one transport were answered.
void append_answers(std::vector<stats::Series>& out, const char* transport, const api::AnswerCounts& counts) {
  counts.each([&](unsigned status, std::uint64_t count) {
    out.push_back({&stats::stat(stats::StatId::kAPI_REQUESTS),
                   {transport, status == api::AnswerCounts::kNone ? "none" : std::to_string(status)},
                   count});
  });
}

}  // namespace

std::optional<http::TcpOptions> ApiComponent::tcp_options() const {
  const auto address = stats::parse_listen_address(applied_.address);
  if (!address) return std::nullopt;
  return http::TcpOptions{.host = address->host,
                          .port = address->port,
                          .tls_certificate = applied_.tls_certificate,
                          .tls_key = applied_.tls_key,
                          .rate = applied_.rate};
}

void ApiComponent::run() {
  applied_ = options_;
  auto server = api::ApiServer::start({.socket_path = api::socket_path(shared_.state_dir),
                                       .socket_group = applied_.socket_group,
                                       .max_connections = 64,
                                       .session_time = std::chrono::seconds(30),
                                       .max_followers = applied_.max_followers,
                                       .tcp = tcp_options(),
                                       .counts = counts_},
                                      shared_.node, {applied_.token_file, applied_.kube});
  if (!server) return health_.set(kName, std::unexpected(server.error()), {});
  server_.emplace(std::move(*server));
  found_ = {};
  tell();
}

void ApiComponent::keep_socket() {
  if (!server_) return;
  const std::string path = api::socket_path(shared_.state_dir);
  const auto kept = server_->keep_socket();
  if (kept && *kept) log_warning("api: " + path + " was removed; it is made again");
  // Tells each trouble once, however long it lasts.
  if (!kept && (found_ || found_.error().what != kept.error().what))
    log_error(Error(kept.error()).in("api: " + path + " was removed, and cannot be made again"));
  found_ = kept ? Status() : std::unexpected(kept.error());
}

void ApiComponent::tell() {
  const Status accepting = server_->accepting();
  if (crowd_log_.is_news(accepting, TroubleLog::Clock::now())) log_error(Error(accepting.error()).in(kName));
  health_.set(kName, found_ ? accepting : found_, api::socket_path(shared_.state_dir));
  const auto& tcp = server_->tcp();
  if (!tcp) return;
  const Status health = *tcp ? server_->tcp_health() : std::unexpected(tcp->error());
  if (*tcp && tcp_log_.is_news(health, TroubleLog::Clock::now()))
    log_error(Error(health.error()).in(kTcpName));
  health_.set(kTcpName, health, *tcp ? **tcp : std::string());
}

void ApiComponent::report(api::StatusReport& /*status*/) {
  keep_socket();
  if (server_) tell();
}

void ApiComponent::append_samples(std::vector<stats::Series>& out, const api::StatusReport& /*status*/) {
  append_answers(out, "unix", counts_->unix_socket);
  append_answers(out, "tcp", counts_->tcp);
}

void ApiComponent::take_options() {
  if (options_ == applied_ && server_) return tell();
  server_.reset();
  run();
}

}  // namespace flowtap
