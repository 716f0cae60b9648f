#include "kube/kube_access.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/hash/sha256.hpp"

namespace flowtap::kube {
namespace {

std::string digest(std::string_view token) {
  const auto bytes = sha256(token);
  return {bytes.begin(), bytes.end()};
}

std::string key(std::string_view token, const Right& right) {
  return digest(token).append(1, static_cast<char>(right.to)).append(right.ns);
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
  server_.stop();
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    waiting_.clear();
  }
  more_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<Access> KubeAccess::known(std::string_view token, const Right& right) {
  const std::scoped_lock lock(mutex_);
  const Whose* whose = subjects_.get(digest(token));
  if (whose != nullptr && Clock::now() < whose->until) {
    if (!whose->subject) return Access::kNobody;
    if (right.to == Right::To::kKnown) return Access::kYes;
  }
  const Answered* answered = rights_.get(key(token, right));
  return answered != nullptr && Clock::now() < answered->until ? std::optional(answered->access)
                                                               : std::nullopt;
}

void KubeAccess::ask(std::string_view token, const Right& right, std::function<void()> answered) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() < limits_.waiting && !stop_) {
      waiting_.push_back({std::string(token), right, std::move(answered)});
      more_.notify_one();
      return;
    }
  }
  answered();
}

Status KubeAccess::health() const {
  const std::scoped_lock lock(mutex_);
  if (!health_ && Clock::now() - told_ > limits_.kept_trouble) return {};
  return health_;
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
    } catch (const std::exception&) {  // nothing is known, so nobody is let in
      const std::scoped_lock lock(mutex_);
      health_ = fail("no memory to ask Kubernetes");
      told_ = Clock::now();
    }
    try {
      question.answered();
    } catch (const std::exception&) {  // those who wait give up by themselves
      continue;
    }
  }
}

void KubeAccess::answer(const Question& question) {
  // The same question may have been asked meanwhile.
  if (known(question.token, question.right)) return;
  const auto access = review(question);
  if (!access && access.error().code == KubeServer::kUnreachable)
    next_try_ = Clock::now() + limits_.kept_unknown;
  const std::scoped_lock lock(mutex_);
  health_ = access ? Status() : std::unexpected(access.error());
  told_ = Clock::now();
  // The owner of the token has been stored already.
  if (access && (access->access == Access::kNobody || question.right.to == Right::To::kKnown)) return;
  rights_.put(key(question.token, question.right),
              access.value_or(Answered{Access::kUnknown, Clock::now() + limits_.kept_unknown}));
}

Result<KubeAccess::Answered> KubeAccess::review(const Question& question) {
  if (Clock::now() < next_try_) FTAP_TRY(health());
  FTAP_TRY_ASSIGN(found, whose(question.token));
  if (!found.subject) return Answered{Access::kNobody, found.until};
  if (question.right.to == Right::To::kKnown) return Answered{Access::kYes, found.until};
  if (stopping()) return fail("flowtapd is stopping");
  FTAP_TRY_ASSIGN(answer, server_.post(kAccessReviewPath, access_review(*found.subject, question.right)));
  FTAP_TRY_ASSIGN(allowed, parse_access_review(answer));
  // The answer is not kept longer than the token's owner.
  return Answered{allowed ? Access::kYes : Access::kNo, std::min(found.until, Clock::now() + limits_.kept)};
}

bool KubeAccess::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stop_;
}

Result<KubeAccess::Whose> KubeAccess::whose(const std::string& token) {
  {
    const std::scoped_lock lock(mutex_);
    const Whose* known = subjects_.get(digest(token));
    if (known != nullptr && Clock::now() < known->until) return *known;
  }
  FTAP_TRY_ASSIGN(answer, server_.post(kTokenReviewPath, token_review(token)));
  FTAP_TRY_ASSIGN(subject, parse_token_review(answer));
  const std::scoped_lock lock(mutex_);
  Whose whose{std::move(subject), Clock::now() + limits_.kept};
  subjects_.put(digest(token), whose);
  return whose;
}

}  // namespace flowtap::kube
