#include "kube/kube_server.hpp"

#include <curl/curl.h>

#include <cstdlib>
#include <exception>
#include <mutex>

#include "base/file.hpp"
#include "base/printable.hpp"

namespace flowtap::kube {
namespace {

constexpr std::string_view kAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

struct Headers {
  curl_slist* list = nullptr;
  Headers() = default;
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  ~Headers() { ::curl_slist_free_all(list); }
  bool add(const std::string& header) {
    curl_slist* longer = ::curl_slist_append(list, header.c_str());
    if (longer != nullptr) list = longer;
    return longer != nullptr;
  }
};

std::size_t take(const char* bytes, std::size_t, std::size_t n, void* to) noexcept {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + n > KubeServer::kMostAnswer) return 0;
  try {
    body.append(bytes, n);
  } catch (const std::exception&) {
    return 0;
  }
  return n;
}

int progress(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return *static_cast<const std::atomic<bool>*>(stop) ? 1 : 0;
}

std::string unreached_hint(CURLcode why) {
  switch (why) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return "name the file of the cluster's CA in api.kubernetes_ca";
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
      return "see whether this node reaches it (curl -k URL/readyz), or name another address in "
             "api.kubernetes_server";
    default:
      return {};
  }
}

}  // namespace

struct KubeServer::Handle {
  CURL* curl = ::curl_easy_init();
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { ::curl_easy_cleanup(curl); }
};

KubeServer::KubeServer(KubeOptions options)
    : options_(std::move(options)), handle_(std::make_unique<Handle>()) {}
KubeServer::KubeServer(KubeServer&&) noexcept = default;
KubeServer::~KubeServer() = default;

Result<KubeServer> KubeServer::open(KubeOptions options) {
  if (!options.server.starts_with("https://"))
    return fail(in_quotes(options.server) + " is not an https:// URL of Kubernetes' API server",
                "such as https://10.96.0.1:443");
  while (options.server.ends_with('/')) options.server.pop_back();
  static std::once_flag once;
  std::call_once(once, [] { ::curl_global_init(CURL_GLOBAL_DEFAULT); });
  KubeServer server(std::move(options));
  if (server.handle_->curl == nullptr) return fail("no memory for a connection to Kubernetes' API server");
  return server;
}

Result<std::string> KubeServer::post(std::string_view path, const std::string& body) {
  const std::string name = "Kubernetes' API server at " + options_.server;
  FTAP_TRY_ASSIGN(token, read_line(options_.token_file));
  // A text with a line break would add another header.
  if (token.empty() || token.find_first_of("\r\n") != std::string::npos)
    return fail(in_quotes(options_.token_file) + " has no token of a service account",
                "name the file of one in api.kubernetes_token");
  Headers headers;
  if (!headers.add("Authorization: Bearer " + token) || !headers.add("Content-Type: application/json") ||
      !headers.add("Accept: application/json") || !headers.add("Expect:"))
    return fail("no memory for a request to " + name);

  CURL* curl = handle_->curl;
  ::curl_easy_reset(curl);  // connections are kept
  const std::string url = options_.server + std::string(path);
  std::string answer;
  const long milliseconds = static_cast<long>(options_.time.count());
  ::curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  ::curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
  ::curl_easy_setopt(curl, CURLOPT_PROXY, "");  // a proxy must not see the token
  ::curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  ::curl_easy_setopt(curl, CURLOPT_CAINFO, options_.ca_file.c_str());
  ::curl_easy_setopt(curl, CURLOPT_CAPATH, nullptr);
  ::curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds);
  ::curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);  // does not wait for a resolver that hangs
  ::curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  ::curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
  ::curl_easy_setopt(curl, CURLOPT_XFERINFODATA, stop_.get());
  ::curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.list);
  ::curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  ::curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.c_str());
  ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
  const CURLcode done = ::curl_easy_perform(curl);
  if (done != CURLE_OK)
    return std::unexpected(
        Error{"cannot ask " + name + ": " + ::curl_easy_strerror(done), unreached_hint(done), kUnreachable});
  long status = 0;
  ::curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status == 401 || status == 403)
    return fail(name + " answers " + std::to_string(status),
                "flowtapd's service account has to be bound to the cluster role system:auth-delegator");
  if (status != 200 && status != 201) return fail(name + " answers " + std::to_string(status));
  return answer;
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
