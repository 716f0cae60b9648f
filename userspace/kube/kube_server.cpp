#include "kube/kube_server.hpp"

#include <cstdlib>
#include <utility>

#include "base/file.hpp"
#include "base/printable.hpp"

namespace flowtap::kube {
namespace {

constexpr std::string_view kAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

http::ClientOptions client_options(const KubeOptions& options) {
  return {.url = options.server,
          .tls = {.ca = options.ca_file},
          .names = {.ca = "api.kubernetes_ca"},
          .limits = {.connect = options.time,
                     .whole = options.time,
                     .silence = options.time,
                     .body = KubeServer::kMostAnswer,
                     .kept = 1}};
}

}  // namespace

KubeServer::KubeServer(KubeOptions options, std::unique_ptr<http::ClientLoop> loop, http::HttpClient client)
    : options_(std::move(options)), loop_(std::move(loop)), client_(std::move(client)) {}

Result<KubeServer> KubeServer::open(KubeOptions options) {
  if (!options.server.starts_with("https://"))
    return fail(in_quotes(options.server) + " is not an https:// URL of Kubernetes' API server",
                "such as https://10.96.0.1:443");
  while (options.server.ends_with('/')) options.server.pop_back();
  auto loop = std::make_unique<http::ClientLoop>();
  FTAP_TRY_ASSIGN(client, http::HttpClient::open(*loop, client_options(options)));
  return KubeServer(std::move(options), std::move(loop), std::move(client));
}

Result<std::string> KubeServer::post(std::string_view path, const std::string& body) {
  const std::string name = "Kubernetes' API server at " + options_.server;
  FTAP_TRY_ASSIGN(token, read_line(options_.token_file));
  // A text with a line break would add another header.
  if (token.empty() || token.find_first_of("\r\n") != std::string::npos)
    return fail(in_quotes(options_.token_file) + " has no token of a service account",
                "name the file of one in api.kubernetes_token");
  // Shared, since a loop that fails keeps the request until its own end.
  const auto came = std::make_shared<Result<http::ClientResponse>>(fail("it was not asked"));
  client_.ask({.method = "POST",
               .target = std::string(path),
               .headers = {{"Authorization", "Bearer " + token},
                           {"Content-Type", "application/json"},
                           {"Accept", "application/json"}},
               .body = body,
               .repeatable = true},
              [came](Result<http::ClientResponse> answer) { *came = std::move(answer); });
  loop_->run();
  auto& answer = *came;
  if (!answer) {
    const Error& error = answer.error();
    const std::string reach = "see whether this node reaches it (curl -k " + options_.server +
                              "/readyz), or name another address in api.kubernetes_server";
    return std::unexpected(Error{"cannot ask " + name + ": " + error.what,
                                 error.hint.empty() ? reach : error.hint, kUnreachable});
  }
  if (answer->status == 401 || answer->status == 403)
    return fail(name + " answers " + std::to_string(answer->status),
                "flowtapd's service account has to be bound to the cluster role system:auth-delegator");
  if (answer->status != 200 && answer->status != 201)
    return fail(name + " answers " + std::to_string(answer->status));
  return std::move(answer->body);
}

void KubeServer::stop() {
  loop_->stop();
}

Result<KubeOptions> completed(KubeOptions options) {
  if (options.ca_file.empty()) options.ca_file = std::string(kAccountDir) + "/ca.crt";
  if (options.token_file.empty()) options.token_file = std::string(kAccountDir) + "/token";
  if (options.server != kOfThisPod) return options;
  const char* host = std::getenv("KUBERNETES_SERVICE_HOST");  // NOLINT(concurrency-mt-unsafe): at start
  const char* port = std::getenv("KUBERNETES_SERVICE_PORT");  // NOLINT(concurrency-mt-unsafe)
  if (host == nullptr || port == nullptr)
    return fail("flowtapd does not run in a pod: KUBERNETES_SERVICE_HOST is not set",
                "name the API server's URL in api.kubernetes_server");
  const bool is_v6 = std::string_view(host).find(':') != std::string_view::npos;
  options.server = std::string("https://") + (is_v6 ? "[" : "") + host + (is_v6 ? "]" : "") + ":" + port;
  return options;
}

}  // namespace flowtap::kube
