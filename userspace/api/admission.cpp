#include "api/admission.hpp"

#include <utility>

#include "api/scope.hpp"
#include "base/threads/signals_blocked.hpp"

namespace flowtap::api {

using http::Answer;
using http::error_answer;
using http::Verdict;
using kube::Access;

namespace {

Answer unauthorized() {
  return error_answer(
      401, "this request has no valid token",
      "send Authorization: Bearer TOKEN, with a token from api.token_file of flowtapd's configuration "
      "or, if api.kubernetes_server is set, one of the cluster's");
}

// Tells nothing more about Kubernetes: the client has not proven who it is.
Answer refused(Access access, const Right& right) {
  if (access == Access::kNobody) return unauthorized();
  if (access == Access::kUnknown)
    return error_answer(503, "flowtapd could not ask Kubernetes what this token may do",
                        "try again in a moment");
  if (right.to == Right::To::kNode)
    return error_answer(403, "this token's user may not get nodes/proxy",
                        "everything but the logs of pods is for those who administer the node");
  if (right.ns.empty())
    return error_answer(403, "this token's user may not get pods/log in all namespaces",
                        "ask for one namespace, or bind a cluster role that allows it");
  return error_answer(403, "this token's user may not get pods/log in the namespace " + right.ns,
                      "bind a role that allows it, as for kubectl logs");
}

Verdict verdict(Access access, const Right& right) {
  if (access == Access::kYes) return {};
  return {refused(access, right)};
}

}  // namespace

Result<std::unique_ptr<http::Gate>> Admission::open(const std::string& token_file,
                                                    const kube::KubeOptions& kube) {
  if (token_file.empty() && kube.server.empty())
    return fail("the API is served over TCP only to clients that have a token",
                "name a file of tokens in api.token_file, or Kubernetes in api.kubernetes_server");
  std::unique_ptr<Admission> admission(new Admission());
  if (!token_file.empty()) {
    FTAP_TRY_ASSIGN(tokens, BearerTokens::load(token_file));
    admission->tokens_.emplace(std::move(tokens));
  }
  if (!kube.server.empty()) {
    const SignalsBlocked blocked;
    FTAP_TRY_ASSIGN(options, kube::completed(kube));
    FTAP_TRY_ASSIGN(access, kube::KubeAccess::start(std::move(options)));
    admission->kube_ = std::move(access);
  }
  return std::unique_ptr<http::Gate>(std::move(admission));
}

std::optional<Verdict> Admission::known(std::string_view authorization, std::string_view target) {
  if (tokens_ && tokens_->accepts(authorization)) return Verdict();
  const auto token = bearer_token(authorization);
  if (!kube_ || !token) return Verdict{unauthorized()};
  const Right right = right_for(target);
  const auto access = kube_->known(*token, right);
  return access ? std::optional(verdict(*access, right)) : std::nullopt;
}

void Admission::ask(std::string_view authorization, std::string_view target, std::function<void()> done) {
  kube_->ask(bearer_token(authorization).value_or(""), right_for(target), std::move(done));
}

Verdict Admission::answered(std::string_view authorization, std::string_view target) {
  const Right right = right_for(target);
  const auto token = bearer_token(authorization).value_or("");
  return verdict(kube_->known(token, right).value_or(Access::kUnknown), right);
}

Answer Admission::no_token() const {
  return unauthorized();
}

Status Admission::health() const {
  if (tokens_) FTAP_TRY(tokens_->health());
  return kube_ ? kube_->health() : Status();
}

}  // namespace flowtap::api
