#include "api/admission.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <memory>

#include "api/scope.hpp"
#include "http/server/connection.hpp"

namespace flowtap::api {

namespace asio = boost::asio;

namespace {

/// A question waits behind others; who waits longer is not let in.
constexpr std::chrono::seconds kPatience(8);

/// Asks, and is back when there is an answer or patience has run out.
asio::awaitable<Access> ask(KubeAccess& kube, const std::string& token, const Right& right) {
  const auto executor = co_await asio::this_coro::executor;
  // The answer comes on another thread, perhaps after nobody waits any more.
  const auto wait = std::make_shared<asio::steady_timer>(executor, kPatience);
  const std::weak_ptr<asio::steady_timer> waits = wait;
  kube.ask(token, right, [executor, waits] {
    asio::post(executor, [waits] {
      if (const auto timer = waits.lock()) timer->cancel();
    });
  });
  co_await wait->async_wait(kAwait);
  co_return kube.known(token, right).value_or(Access::kUnknown);
}

// Says nothing of Kubernetes but that: whoever asks has shown nothing yet.
Answer refused(Access access, const Right& right) {
  if (access == Access::kNobody) return no_token();
  if (access == Access::kUnknown)
    return error_answer(503, "whether this token may be answered could not be asked of Kubernetes",
                        "try again in a moment");
  if (right.to == Right::To::kNode)
    return error_answer(403, "this token's user may not get nodes/proxy",
                        "what is no pod's log is for whoever administers the node");
  if (right.ns.empty())
    return error_answer(403, "this token's user may not get pods/log in all namespaces",
                        "ask for one namespace, or bind a cluster role that allows it");
  return error_answer(403, "this token's user may not get pods/log in the namespace " + right.ns,
                      "bind a role that allows it, as for kubectl logs");
}

}  // namespace

Answer no_token() {
  return error_answer(401, "this request has no valid token",
                      "send one of those in api.token_file of flowtapd's configuration, or where "
                      "api.kubernetes_server is set one of the cluster's, as Authorization: Bearer TOKEN");
}

asio::awaitable<std::optional<Answer>> refusal_of(const Admission& admission, std::string authorization,
                                                  std::string target) {
  if (admission.tokens != nullptr && admission.tokens->accepts(authorization)) co_return std::nullopt;
  const auto token = bearer_token(authorization);
  if (admission.kube == nullptr || !token) co_return no_token();
  const Right right = right_for(target);
  auto access = admission.kube->known(*token, right);
  if (!access) access = co_await ask(*admission.kube, std::string(*token), right);
  if (*access == Access::kYes) co_return std::nullopt;
  co_return refused(*access, right);
}

}  // namespace flowtap::api
