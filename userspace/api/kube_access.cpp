#include "api/kube_access.hpp"

#include <pthread.h>

#include <exception>
#include <utility>

#include "base/sha256.hpp"

namespace flowtap::api {
namespace {

std::string digest(std::string_view token) {
  const auto bytes = sha256(token);
  return {bytes.begin(), bytes.end()};
}

std::string key(std::string_view token, std::string_view ns) {
  return digest(token).append(ns);
}

}  // namespace

Result<std::unique_ptr<KubeAccess>> KubeAccess::start(KubeOptions options, Limits limits) {
  FTAP_TRY_ASSIGN(server, KubeServer::open(std::move(options)));
  std::unique_ptr<KubeAccess> access(new KubeAccess(std::move(server), limits));
  access->thread_ = std::thread([raw = access.get()] { raw->run(); });
  return access;
}

KubeAccess::KubeAccess(KubeServer server, Limits limits)
    : server_(std::move(server)), limits_(limits), subjects_(limits.answers), rights_(limits.answers) {}

KubeAccess::~KubeAccess() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    waiting_.clear();
  }
  more_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<Access> KubeAccess::known(std::string_view token, std::string_view ns) {
  const std::scoped_lock lock(mutex_);
  const Right* right = rights_.get(key(token, ns));
  return right != nullptr && Clock::now() < right->until ? std::optional(right->access) : std::nullopt;
}

void KubeAccess::ask(std::string_view token, std::string_view ns, std::function<void()> answered) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() < limits_.waiting && !stop_) {
      waiting_.push_back({std::string(token), std::string(ns), std::move(answered)});
      more_.notify_one();
      return;
    }
  }
  answered();
}

std::string KubeAccess::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

void KubeAccess::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-review");
  while (true) {
    Question question;
    {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (stop_) return;
      question = std::move(waiting_.front());
      waiting_.pop_front();
    }
    try {
      answer(question);
    } catch (const std::exception&) {  // nothing is known, so nobody may
      const std::scoped_lock lock(mutex_);
      trouble_ = "no memory";
    }
    question.answered();
  }
}

void KubeAccess::answer(const Question& question) {
  // Somebody else may have asked the same meanwhile.
  if (known(question.token, question.ns)) return;
  const auto access = review(question);
  if (!access && access.error().code == KubeServer::kUnreachable)
    next_try_ = Clock::now() + limits_.kept_unknown;
  const std::scoped_lock lock(mutex_);
  trouble_ = access ? "" : access.error().what;
  rights_.put(
      key(question.token, question.ns),
      {access.value_or(Access::kUnknown), Clock::now() + (access ? limits_.kept : limits_.kept_unknown)});
}

Result<Access> KubeAccess::review(const Question& question) {
  if (Clock::now() < next_try_) return fail(trouble());
  FTAP_TRY_ASSIGN(subject, whose(question.token));
  if (!subject) return Access::kNobody;
  if (stopping()) return fail("the service ends");
  FTAP_TRY_ASSIGN(answer, server_.post(kAccessReviewPath, log_access_review(*subject, question.ns)));
  FTAP_TRY_ASSIGN(allowed, parse_access_review(answer));
  return allowed ? Access::kYes : Access::kNo;
}

bool KubeAccess::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stop_;
}

Result<std::optional<Subject>> KubeAccess::whose(const std::string& token) {
  {
    const std::scoped_lock lock(mutex_);
    const Whose* known = subjects_.get(digest(token));
    if (known != nullptr && Clock::now() < known->until) return known->subject;
  }
  FTAP_TRY_ASSIGN(answer, server_.post(kTokenReviewPath, token_review(token)));
  FTAP_TRY_ASSIGN(subject, parse_token_review(answer));
  const std::scoped_lock lock(mutex_);
  subjects_.put(digest(token), {subject, Clock::now() + limits_.kept});
  return subject;
}

}  // namespace flowtap::api
